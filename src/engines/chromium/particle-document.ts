import { parseSource } from '../../media/particle/parse-source.ts'
import { libraryHosts } from './libraries.ts'
import type { CaptureParticle } from './particle.ts'

/**
 * What a particle may load: what it brings along. Each frame declares it, and the host page, which holds the
 * frames, for where they may go.
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

/** Whether an address is of what a particle brings along. */
export function isEmbeddedUrl(url: string): boolean {
  return /^(?:data|blob|about):/.test(url)
}

/** What is told of any other address. */
export function blockedRequestMessage(url: string): string {
  return `asks for ${url}; a particle has no network`
}

/** The page that holds the frames, transparent. */
export const hostDocument = `<!doctype html><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<style>:root{view-transition-name:none}html,body{margin:0;overflow:hidden;background:transparent}
iframe{position:absolute;border:0;transform-origin:0 0}</style><body></body>`

/**
 * The document of a particle's frame: what its template holds, each line with the number that it has in the
 * source. Undefined where there is no template, or it is not parsed.
 */
export function particleDocument(html: string): string | undefined {
  const parsed = parseSource(html)
  const template = 'why' in parsed ? undefined : parsed.template
  const place = template?.sourceCodeLocation
  if (!template || !place?.startTag) return undefined
  const content = html.slice(place.startTag.endOffset, place.endTag?.startOffset)
  const declared = template.attrs.filter(({ name }) => name.startsWith('data-'))
  // Scripts look for the element that declares the composition: the template itself is not there any more.
  const [before, after] =
    declared.length > 0
      ? [
          `<div style="position:relative;width:100%;height:100%"${declared.map(attributeText).join('')}>`,
          '</div>',
        ]
      : ['', '']
  // A layer that is told to change is drawn as it was at some frame before: what it looks like would depend on
  // which frames a worker captures.
  const settled = '*,*::before,*::after{will-change:auto!important}'
  const head =
    `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">` +
    `<style>html,body{margin:0;width:100%;height:100%;overflow:hidden;background:transparent}${settled}</style></head><body>`
  return `${head}${before}${'\n'.repeat(place.startTag.endLine - 1)}${content}${after}</body></html>`
}

function attributeText({ name, value }: { name: string; value: string }): string {
  return ` ${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
}

/**
 * Forms may be sent only so that the policy hears of it: it allows them no target. A sandbox of an origin of
 * its own, with scripts; without windows, dialogs, downloads, plugins, or a way to move the page above.
 */
export const addFrameFunction = `function (id, name, html, style) {
  const frame = document.createElement('iframe')
  const loaded = new Promise((resolve) => frame.addEventListener('load', () => resolve()))
  frame.sandbox = 'allow-scripts allow-forms'
  Object.assign(frame, { id, name })
  frame.style.cssText = style
  frame.srcdoc = html
  document.body.append(frame)
  // Its document is told of no size but its own from its beginning.
  frame.getBoundingClientRect()
  return loaded
}`

/** Lays a particle's canvas over the frame: evenly scaled to cover it, in the middle. */
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
