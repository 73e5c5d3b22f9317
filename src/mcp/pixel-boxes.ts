import * as z from 'zod'
import { agentFieldOf } from '../contract/agent-form.ts'
import { MediaError } from '../contract/errors.ts'
import { fileKindsOf } from '../contract/file.ts'
import { summarizeList } from '../contract/format.ts'
import type { Operation } from '../contract/operation.ts'
import { type AnySchema, unwrapSchema } from '../contract/suggest-fix.ts'
import { isRecord } from '../contract/validation.ts'
import { fetchAgentFile } from './agent-request.ts'
import type { Session } from './session.ts'
import type { ToolCall } from './tool.ts'
import { uploadLocalFile } from './tools/file-tools.ts'
import { isPath } from './upload-files.ts'

/** A box given in pixels. */
interface PixelBox {
  readonly path: readonly (string | number)[]
  readonly sides: Readonly<Record<string, number>>
  /** The file whose picture it is a part of, as the agent names it. */
  readonly file: string
}

/** Most boxes that an error converts. */
const maxBoxesConverted = 5

/** Shares are at most 1; a slightly larger one is an error of arithmetic. */
const leastPixels = 2

/**
 * Throws 6016 for boxes in pixels, with the same boxes as shares of that file's picture. Returns if there are none, or if
 * the picture's size is unknown: validation reports them then.
 */
export async function rejectPixelBoxes(
  session: Session,
  { operation, args }: { readonly operation: Operation; readonly args: Record<string, unknown> },
  call: ToolCall,
): Promise<void> {
  const boxes = findPixelBoxes(operation.agentForm?.input ?? operation.input, args)
  const [first] = boxes
  if (!first) return
  const picture = await pictureSize(session, first.file, call)
  if (!picture) return
  // A box outside the picture has no shares.
  const same = boxes.filter(
    (box) =>
      box.file === first.file &&
      Object.entries(toShares(box, picture)).every(([side, share]) => share > 0 || 'xy'.includes(side)),
  )
  if (same.length === 0) return
  const use = (size: Pick<Picture, 'width' | 'height'>): string =>
    summarizeList(
      same.map((box) => `${z.core.toDotPath([...box.path])}: ${JSON.stringify(toShares(box, size))}`),
      maxBoxesConverted,
    )
  const mayBePercent = same.every(isPossiblePercent)
  const given = same.map(
    ({ path, sides }) =>
      `${z.core.toDotPath([...path])} (${Object.entries(sides)
        .map(([side, value]) => `${side} ${value}`)
        .join(', ')})`,
  )
  throw new MediaError(
    6016,
    `${summarizeList(given, maxBoxesConverted)}: in pixels${mayBePercent ? ' or percent' : ''}, but boxes are shares of the picture, 0 to 1; ` +
      `${picture.name} has ${picture.width}x${picture.height} pixels`,
    {
      hint: mayBePercent
        ? `If these are percent, use ${use({ width: 100, height: 100 })}. If pixels, use ${use(picture)}.`
        : `Use ${use(picture)}.`,
    },
  )
}

/** Whether a box is inside a picture of 100 by 100: its sides may be percent as well as pixels. */
function isPossiblePercent({ sides }: PixelBox): boolean {
  const { x = 0, y = 0, w, h, width = w ?? 0, height = h ?? 0 } = sides
  return x + width <= 100 && y + height <= 100
}

const horizontal = new Set(['x', 'w', 'width'])

/** The box as shares of the picture, rounded to 1/10000 and cut at its edges. Fractions below 1 are shares already. */
function toShares(
  { sides }: PixelBox,
  { width, height }: { readonly width: number; readonly height: number },
): Record<string, number> {
  const share = (name: string): number => {
    const side = sides[name] ?? 0
    const isShare = side < 1 && !Number.isInteger(side)
    return Math.min(1, Math.max(0, isShare ? side : side / (horizontal.has(name) ? width : height)))
  }
  const rounded = (value: number): number => Math.round(value * 10_000) / 10_000
  const start: Readonly<Record<string, string>> = { w: 'x', width: 'x', h: 'y', height: 'y' }
  return Object.fromEntries(
    Object.keys(sides).map((name) => {
      const from = start[name]
      return [name, rounded(from === undefined ? share(name) : Math.min(share(name), 1 - share(from)))]
    }),
  )
}

interface Picture {
  readonly name: string
  readonly width: number
  readonly height: number
}

async function pictureSize(session: Session, file: string, call: ToolCall): Promise<Picture | undefined> {
  try {
    const uploaded = (await isPath(session, file))
      ? (await uploadLocalFile(session, file, call)).file
      : undefined
    if (!uploaded && (await isPath(session, file))) return undefined
    const { name, facts } = await fetchAgentFile(session, uploaded?.file_id ?? file, call.signal)
    return facts?.video ? { name, width: facts.video.width, height: facts.video.height } : undefined
  } catch (error) {
    // A file that cannot be opened is reported with its field by the validation that follows.
    if (error instanceof MediaError) return undefined
    throw error
  }
}

/** Finds the boxes of a call that are in pixels and belong to a picture file beside or above them. */
export function findPixelBoxes(schema: AnySchema, value: unknown): PixelBox[] {
  return [...walk(schema, value, { path: [], file: undefined })]
}

interface BoxContext {
  readonly path: readonly (string | number)[]
  readonly file: string | undefined
}

function* walk(schema: AnySchema, value: unknown, context: BoxContext): Generator<PixelBox> {
  const inner = unwrapSchema(schema)
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* walk(inner.element, item, { ...context, path: [...context.path, index] })
    }
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return
  if (agentFieldOf(inner)?.kind === 'box') {
    const box = pixelBox(value, context)
    if (box) yield box
    return
  }
  const file = pictureOf(inner, value) ?? context.file
  for (const [name, field] of Object.entries(inner.shape)) {
    yield* walk(field, value[name], { path: [...context.path, name], file })
  }
}

function pixelBox(value: Record<string, unknown>, { path, file }: BoxContext): PixelBox | undefined {
  const sides = Object.entries(value).filter(
    (entry): entry is [string, number] =>
      ['x', 'y', 'w', 'h', 'width', 'height'].includes(entry[0]) && typeof entry[1] === 'number',
  )
  if (file === undefined || sides.length < 4 || sides.every(([, side]) => side <= leastPixels))
    return undefined
  return { path, file, sides: Object.fromEntries(sides) }
}

/** The first file field of an object that accepts pictures. */
function pictureOf(object: z.ZodObject, value: Record<string, unknown>): string | undefined {
  for (const [name, field] of Object.entries(object.shape)) {
    const kinds = fileKindsOf(unwrapSchema(field)) ?? []
    const file = value[name]
    if ((kinds.includes('video') || kinds.includes('image')) && typeof file === 'string') return file
  }
  return undefined
}
