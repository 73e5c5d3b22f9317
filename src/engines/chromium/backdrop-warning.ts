import * as z from 'zod'
import { truncateMessage, type CaptureParticle, type ParticleProblem } from './particle.ts'

/** Elements whose style reads what is behind the page, as the player reports them. */
export const backdropUsesSchema = z
  .array(
    z.object({
      property: z.enum(['mix-blend-mode', 'backdrop-filter']),
      value: z.string(),
      element: z.string(),
    }),
  )
  .max(20)
type BackdropUse = z.infer<typeof backdropUsesSchema>[number]

/**
 * Returns the warnings about styles that would need the base video, which is not in the page. An opaque particle hides the
 * base, so it gets none.
 */
export function backdropWarnings(
  { html, opaque }: CaptureParticle,
  uses: readonly BackdropUse[],
): ParticleProblem[] {
  if (opaque) return []
  return uses.map((use) => {
    const { property, value, element } = use
    const line = declarationLine(html, use)
    const message = truncateMessage(
      `${property}: ${value} of ${element} does not see the video below, because particles are drawn on ` +
        'transparency; use semi-transparent colours, or put what it applies to into the particle and set ' +
        'isolation: isolate on the element around both',
    )
    return { severity: 'warning', message, ...(line !== undefined && { line }) }
  })
}

/** Declarations in CSS and in scripts, with the beginning of their value. */
const declarations = {
  'mix-blend-mode': /(?:mix-blend-mode|mixBlendMode)([^;}\n]{0,80})/g,
  'backdrop-filter': /(?:backdrop-filter|backdropFilter)([^;}\n]{0,80})/g,
}

/** Returns the line, from 1, of the first declaration with this value, else of the first one; undefined without any. */
function declarationLine(html: string, { property, value }: BackdropUse): number | undefined {
  const found = [...html.matchAll(declarations[property])]
  const declaration = found.find(([, rest]) => rest?.includes(value)) ?? found[0]
  return declaration && html.slice(0, declaration.index).split('\n').length
}
