import * as z from 'zod'
import { agentField, type AgentForm, type AgentRequest, plainText } from '../../src/contract/agent-form.ts'
import { MediaError } from '../../src/contract/errors.ts'
import { type Arrangement, plainLayout } from '../../src/media/layout/arrangement.ts'

/** Arrangements by the names that people use: lower case, words separated by one space. */
const arrangementNames: Readonly<Record<string, Arrangement>> = {
  columns: 'columns',
  column: 'columns',
  'side by side': 'columns',
  'left and right': 'columns',
  'left right': 'columns',
  hstack: 'columns',
  rows: 'rows',
  row: 'rows',
  stacked: 'rows',
  stack: 'rows',
  'top and bottom': 'rows',
  'top bottom': 'rows',
  vstack: 'rows',
}

type Arguments = Readonly<Record<string, unknown>>

/** Tool of video_split_screen: columns and rows are layouts by name. fields: those of the contract. */
export function splitScreenAgentForm(fields: z.ZodObject<{ layout_id: z.ZodType }>): AgentForm {
  const layoutMode = agentField(z.enum(['auto', 'columns', 'rows', 'template']), { names: arrangementNames })
  return {
    input: fields.extend({
      layout_mode: layoutMode
        .default('auto')
        .describe('auto: the layout that crops least; columns, rows: of 2 to 4 clips; template: layout_id'),
      layout_id: fields.shape.layout_id.describe(
        'For template: 400100 is 2 by 2, 900100 3 by 3; all: media://layouts',
      ),
    }),
    own: ['layout_mode'],
    toRequest: nameLayout,
  }
}

/** Replaces the name of a layout by its id. Throws 6016 if there is none for the clips, or if the id is of another. */
function nameLayout(args: Arguments): AgentRequest {
  const { layout_mode, layout_id, clips } = args
  const field = isArrangement(layout_mode) ? 'layout_mode' : 'layout_id'
  const named = isArrangement(layout_mode) ? layout_mode : arrangementOf(layout_id)
  if (named === undefined) return { request: args, assumed: [] }
  const count = Array.isArray(clips) ? clips.length : 0
  const layout = plainLayout(count, named)
  // Too few or too many clips are reported by their own rule.
  if (!layout && count >= 5 && count <= 16) {
    throw new MediaError(6016, `${field}: there is no layout of ${count} ${named}, only of 2 to 4`, {
      hint: `Omit ${field} to have a layout selected, or choose a layout_id of media://layouts.`,
    })
  }
  if (field === 'layout_mode' && layout && isOtherLayout(layout_id, { id: layout.id, named })) {
    throw new MediaError(
      6016,
      `layout_id: ${JSON.stringify(layout_id)} is not the layout of ${count} ${named}`,
      {
        hint: `Omit layout_id, or set layout_mode to template to use it.`,
      },
    )
  }
  const request = {
    ...args,
    layout_mode: field === 'layout_id' ? (layout_mode ?? 'template') : 'template',
    // Any id passes where there is no layout: the number of clips is rejected first.
    layout_id: layout?.id ?? 1,
  }
  return { request, assumed: layout ? [`Layout: ${count} ${named} (${layout.id}).`] : [] }
}

function isArrangement(value: unknown): value is Arrangement {
  return value === 'columns' || value === 'rows'
}

/** Arrangement that a text names. Throws 6016 for other texts. */
function arrangementOf(value: unknown): Arrangement | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  const plain = plainText(value)
  if (Object.hasOwn(arrangementNames, plain)) return arrangementNames[plain]
  throw new MediaError(6016, `layout_id: ${JSON.stringify(value.slice(0, 60))} is not a layout`, {
    hint: 'Use columns, rows, or an id of media://layouts.',
  })
}

function isOtherLayout(given: unknown, { id, named }: { readonly id: number; readonly named: Arrangement }) {
  return given !== undefined && given !== id && arrangementOf(given) !== named
}
