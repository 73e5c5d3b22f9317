import { parseSource } from '../../media/particle/parse-source.ts'
import { libraryHosts } from './libraries.ts'
import type { CaptureParticle } from './particle.ts'

/**
 * Allows a particle to load only embedded data and scripts of known libraries. Every particle's frame declares this
 * policy; the host page declares it too, to limit where frames may navigate.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src 'unsafe-inline' 'unsafe-eval' ${libraryHosts.map((host) => `https://${host}`).join(' ')}`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data: blob:',
  'connect-src data: blob:',
  "worker-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

/** Whether an address refers to data embedded in the particle. */
export function isEmbeddedUrl(url: string): boolean {
  return /^(?:data|blob|about):/.test(url)
}

/** Returns the problem message of a request to any other address. */
export function blockedRequestMessage(url: string): string {
  return `requests ${url}; a particle has no network access`
}

/** The transparent page that contains the particles' frames. */
export const hostDocument = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<style>:root{view-transition-name:none}html,body{margin:0;overflow:hidden;background:transparent}
iframe{position:absolute;border:0;transform-origin:0 0}</style><body></body>`

/**
 * Returns the document of a particle's frame: the content of its template, with the line numbers of the source.
 * Undefined if there is no template or the source cannot be parsed.
 */
export function particleDocument(html: string): string | undefined {
  const parsed = parseSource(html)
  const template = 'reason' in parsed ? undefined : parsed.template
  const location = template?.sourceCodeLocation
  if (!template || !location?.startTag) return undefined
  const content = html.slice(location.startTag.endOffset, location.endTag?.startOffset)
  const declared = template.attrs.filter(({ name }) => name.startsWith('data-'))
  // Scripts look for the element that declares the composition; the template itself is not in the document. Its name is
  // none of HTML, so that the particle's own styles for elements such as div do not apply to it.
  const [before, after] =
    declared.length > 0
      ? [
          `<reelwright-composition style="display:block;position:relative;width:100%;height:100%"${declared.map(attributeText).join('')}>`,
          '</reelwright-composition>',
        ]
      : ['', '']
  // will-change layers may show the raster of an earlier frame, so the picture would depend on which frames a worker
  // captures.
  const settled = '*,*::before,*::after{will-change:auto!important}'
  const head =
    `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">` +
    `<style>html,body{margin:0;width:100%;height:100%;overflow:hidden;background:transparent}${settled}</style></head><body>`
  return `${head}${before}${'\n'.repeat(location.startTag.endLine - 1)}${content}${after}</body></html>`
}

function attributeText({ name, value }: { name: string; value: string }): string {
  return ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
}

/**
 * JavaScript function that adds a sandboxed frame with an opaque origin: scripts, but no windows, dialogs, downloads,
 * plugins or top navigation. Forms are allowed only so that the policy reports them; it allows them no target.
 */
export const addFrameFunction = `function (id, name, html, style) {
  const frame = document.createElement('iframe')
  const loaded = new Promise((resolve) => frame.addEventListener('load', () => resolve()))
  frame.sandbox = 'allow-scripts allow-forms'
  Object.assign(frame, { id, name })
  frame.style.cssText = style
  frame.srcdoc = html
  document.body.append(frame)
  // Forces layout, so that the document has its final size from the start.
  frame.getBoundingClientRect()
  return loaded
}`

/** Returns the CSS that places a particle's canvas over the frame: scaled uniformly to cover it, centred. */
export function frameStyle(
  { width, height, zIndex, opaque }: CaptureParticle,
  frame: { readonly width: number; readonly height: number },
): string {
  const scale = Math.max(frame.width / width, frame.height / height)
  const [left, top] = [(frame.width - width * scale) / 2, (frame.height - height * scale) / 2]
  return [
    `left:${left}px;top:${top}px;width:${width}px;height:${height}px;z-index:${zIndex}`,
    ...(scale === 1 ? [] : [`transform:scale(${scale})`]),
    ...(opaque ? ['background:#000'] : []),
  ].join(';')
}
