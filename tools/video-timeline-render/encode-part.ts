import { stat } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { MediaError } from '../../src/contract/errors.ts'
import type { RunContext } from '../../src/contract/operation.ts'
import { alphaDecoder } from '../../src/engines/ffmpeg/alpha-decoder.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { isHole } from '../../src/engines/ffmpeg/holes.ts'
import type { ProgressReport } from '../../src/engines/ffmpeg/progress.ts'
import { inputArgs, runWithReports } from '../../src/engines/ffmpeg/run.ts'
import { fileTimes, fromKeyFrame } from '../../src/engines/ffmpeg/seek.ts'
import { lengthOf } from '../../src/media/timeline/divide.ts'
import type { Piece } from '../../src/media/timeline/lay-out.ts'
import type { Read } from '../../src/media/timeline/reads.ts'
import { rounding } from '../../src/media/timeline/timeline.ts'
import { atMost } from '../../src/platform/at-most.ts'
import { pictureGraph } from './picture.ts'
import type { Ending, PictureWish } from './picture.ts'

/**
 * How the picture is encoded. Parts are joined without encoding again, so all have the same settings. veryfast:
 * the next slower preset takes a third more time for no smaller files at the same quality.
 */
export const encoderArgs: readonly string[] = [
  ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-pix_fmt', 'yuv420p'],
]

/** A part to be made. */
interface PartJob {
  readonly pieces: readonly Piece[]
  readonly wish: PictureWish
  readonly context: RunContext
  readonly signal: AbortSignal
  readonly threads: number
  readonly timeoutMs: number
  /** Number of frames made so far. */
  readonly onFrames: (frames: number) => void
}

/** Makes one part of the picture in the folder of the run. Throws 6021 with the clip where pictures are missing. */
export async function encodePart(path: string, job: PartJob): Promise<void> {
  const { pieces, wish, context, signal, threads } = job
  const { reads, graph, endings } = pictureGraph(pieces, wish, parse(path).name)
  const inputs = await Promise.all(reads.map((read) => inputOf(read, job)))
  let made = 0
  const onReport = ({ frames }: ProgressReport) => {
    made = frames
    job.onFrames(frames)
  }
  const damage = await runWithReports(
    {
      args: [
        ...fileTimes,
        ...inputs.flat(),
        ...['-filter_complex_threads', String(threads), '-filter_complex', graph, '-map', '[v]'],
        ...[...encoderArgs, ...bt709Tags, '-threads', String(threads), '-r', String(wish.canvas.rate)],
        ...['-map_metadata', '-1', '-map_chapters', '-1', path],
      ],
      cwd: context.scratch,
      signal,
      timeoutMs: job.timeoutMs,
    },
    onReport,
  ).catch(damageOf)
  const fewAtOnce = atMost(2)
  await Promise.all(endings.map((ending) => fewAtOnce(() => checkEnding(ending, job))))
  if (made === lengthOf(pieces) && !damage) return
  const places = endings.map(({ stretch }) => stretch.clip.at).join(', ')
  throw new MediaError(6021, `pictures are missing in one of ${places}`, {
    cause: damage,
    hint: 'One of these files is damaged inside the range; export it again.',
  })
}

/** ffmpeg gives up where most of what it reads cannot be decoded, and tells no file. */
function damageOf(error: unknown): MediaError {
  if (error instanceof MediaError && error.code === 6017) return error
  throw error
}

async function inputOf([{ clip, from }]: Read, { wish, context, threads }: PartJob): Promise<string[]> {
  return inputArgs(context.files.get(clip.material).path, [
    ...(await alphaDecoder(wish.videoOf(clip.material))),
    ...['-threads', String(threads), '-an'],
    ...fromKeyFrame(from),
  ])
}

/** Holds a stretch in whose end no picture came against its file: throws 6021 unless it has a hole there. */
async function checkEnding({ stretch, due, told }: Ending, { context, signal }: PartJob): Promise<void> {
  const found = await stat(join(context.scratch, told)).catch(() => undefined)
  if (found && found.size > 0) return
  const { clip, to } = stretch
  const { path, name, facts } = context.files.get(clip.material)
  // What the filters took for earlier or later must count so here.
  const span = { from: due + rounding, to: to - 2 * rounding }
  if (!facts || (await isHole({ path, facts }, span, { signal }))) return
  throw new MediaError(6021, `${clip.at}.material: ${name} has no picture from ${due.toFixed(1)} s on`, {
    hint: 'The file is cut off or damaged there; export it again, or end the clip earlier.',
  })
}
