import { animatedImageLine } from './moving-images.ts'
import type { ParticleProblem } from './particle.ts'

/** Why an image that moves by itself is refused. */
export const animatedImageMessage = 'has an animated image, whose time cannot be controlled'

/** What is in a source that no frame of it would tell, such as images that move by themselves. */
export function findSourceProblem(html: string): ParticleProblem | undefined {
  const line = animatedImageLine(html)
  if (line !== undefined) return { message: animatedImageMessage, line }
  const shadow = /\bshadowrootmode\s*=/i.exec(html)
  if (!shadow) return undefined
  return {
    message: 'has a shadow tree, which cannot be looked into; put its elements into the page',
    line: html.slice(0, shadow.index).split('\n').length,
  }
}
