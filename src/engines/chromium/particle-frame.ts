import type { CaptureParticle } from './particle.ts'

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
