import { join } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import { uprightSize, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { pictureStream, type PictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import type { Marked } from '../../src/media/clean/masks.ts'
import { rateOf } from '../../src/media/clean/rate.ts'
import { joinWithSource, keptOf, type Kept } from './join.ts'
import { makeParts } from './part-threads.ts'
import type { PartJob, Stretch } from './part.ts'
import { chooseCrf } from './quality.ts'
import { Steps } from './steps.ts'

/** A video to be treated. */
export interface Cleaning {
  readonly file: StagedFile
  readonly footage: Footage
  readonly marked: Marked
  readonly treatment: PartJob['treatment']
  readonly timeoutMs: number
  /** Told 0 to 1, rising. */
  readonly onShare: (share: number) => void
}

/** A video as it is to be treated: its picture at a constant rate. */
export async function footageOf({ path, facts }: StagedFile, signal: AbortSignal): Promise<Footage & Timed> {
  const video = facts?.video
  if (!video) throw new MediaError(6014, 'the file holds no picture')
  const rate = rateOf(video)
  const stream = await pictureStream(path, video, { signal })
  const frame = (seconds: number) => Math.round((seconds * rate.num) / rate.den)
  const first = Math.max(0, frame(stream.start))
  return { path, video, stream, rate, first, count: Math.max(1, frame(stream.start + stream.lasts) - first) }
}

/** The frames of a video, counted from the start of the file. */
interface Timed extends Stretch {
  readonly stream: PictureStream
}

/** Length of a part, s: so much is made again at most when work is interrupted. */
const partSeconds = 20

/** Shortest part, frames: what the encoder's reordering needs to be the same in all. */
const fewestFrames = 5

/** Of other frames the treatment looks at so many, s: filling carries over what shows before and after. */
const around = { blur: 0, inpainting: 2 }

/** Output of all parts made at once, pixels a frame: each keeps some dozen frames. */
const pixelsAtOnce = 4 * 1920 * 1080

/** Divides frames into parts of the same length, the last one shorter or, where it would be too short, longer. */
export function partsOf({ first, count }: Stretch, longest: number): Stretch[] {
  const parts = Math.max(1, Math.ceil((count - fewestFrames + 1) / longest))
  return Array.from({ length: parts }, (_, index) => ({
    first: first + index * longest,
    count: index === parts - 1 ? count - index * longest : longest,
  }))
}

/** Treats a video part by part, some at once, and joins them with all else that its file holds; answers where it is. */
export async function cleanVideo(
  { file, footage, marked, treatment, timeoutMs, onShare }: Cleaning & { readonly footage: Footage & Timed },
  { scratch, steps, threads, signal }: RunContext,
): Promise<{ readonly path: string; readonly kept: Kept }> {
  const { rate } = footage
  const fps = rate.num / rate.den
  const finished = new Steps(steps)
  const { width, height } = uprightSize(footage.video)
  const atOnce = Math.max(1, Math.min(threads, Math.floor(pixelsAtOnce / (width * height))))
  const source = { stream: footage.stream, rate, video: footage.video }
  const reading = { scratch, threads, signal, timeoutMs }
  const crf = Number(
    await finished.text('quality', source, async () =>
      String(await chooseCrf(footage, { bytesPerFrame: file.size / footage.count, ...reading })),
    ),
  )
  const madeOf = { ...source, marked, treatment, crf }
  const made = await finished.parts(madeOf)
  const stretches = partsOf(footage, Math.max(fewestFrames, Math.round(partSeconds * fps)))
  let done = stretches.reduce((sum, { first, count }) => sum + (made.has(first) ? count : 0), 0)
  const jobs = stretches
    .filter(({ first }) => !made.has(first))
    .map((stretch) => ({
      ...stretch,
      ...{ path: join(scratch, `part-${stretch.first}.mp4`), footage, marked, treatment, crf, timeoutMs },
      around: Math.round(around[treatment] * fps),
      threads: Math.max(1, Math.floor(threads / atOnce)),
    }))
  await makeParts(jobs, {
    atOnce,
    signal,
    onFrames(more) {
      done += more
      onShare(done / footage.count)
    },
    async onMade({ first, path }, frames) {
      made.set(first, await finished.keepPart(path, { first, frames, madeOf }))
    },
  })
  const parts = stretches.map(({ first, count }) => ({
    ...(made.get(first) ?? { path: '', frames: 0 }),
    count,
  }))
  checkWhole(file.name, parts, fps)
  const kept = await keptOf(file.path, signal)
  const path = join(scratch, `clean${kept.extension}`)
  await joinWithSource(path, {
    ...{ source: file.path, kept, rate: fps, first: footage.first, cwd: scratch, signal, timeoutMs },
    list: join(steps, 'parts.txt'),
    parts: parts.filter(({ frames }) => frames > 0),
  })
  return { path, kept }
}

/** Pictures that may be missing at the end, as headers and last frames tell their length roughly, s. */
const endSlack = 1

/** Throws 6021 where pictures are missing that the file promised. */
function checkWhole(
  name: string,
  parts: readonly { readonly frames: number; readonly count: number }[],
  fps: number,
): void {
  let at = 0
  let missing = 0
  for (const { frames, count } of parts) {
    missing += count - frames
    if (missing > Math.max(1, endSlack * fps) || (missing > 0 && frames === count)) {
      throw new MediaError(
        6021,
        `${name}: there are no pictures from ${((at + frames) / fps).toFixed(1)} s on`,
        {
          hint: 'The file is damaged there; export it again, or cut it before that.',
        },
      )
    }
    at += count
  }
}
