import * as z from 'zod'
import { agentField } from './agent-form.ts'

/** Longest invalid value that an error repeats, characters. */
const maxShownLength = 40

/** Schema of a colour, #RRGGBB. */
export function rgbColour() {
  const schema = z.string().regex(/^#[0-9a-fA-F]{6}$/, {
    error: ({ input }) =>
      `must have the form #RRGGBB, ${JSON.stringify(String(input).slice(0, maxShownLength))} given`,
  })
  return agentField(schema, { kind: 'colour' })
}
