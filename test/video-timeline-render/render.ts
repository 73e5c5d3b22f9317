import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { asFloats } from '../../src/engines/timeline/mix-pcm.ts'
import { timelineSound } from '../../src/engines/timeline/sound.ts'
import { concatSamples } from '../../src/media/audio/windows.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { videoTimelineRender } from '../../tools/video-timeline-render/contract.ts'
import { plan } from '../../tools/video-timeline-render/plan.ts'
import { run } from '../../tools/video-timeline-render/run.ts'
import { fileIdOf, runInWorker, stageFiles, type OperationRun } from '../tasks/run-in-worker.ts'

/** A range of a file, without its position on the output. */
export interface Cut {
  readonly path: string
  /** Start in the file, seconds. */
  readonly from: number
  /** Duration on the output, seconds. */
  readonly seconds: number
  readonly speed?: number
  readonly keep_pitch?: boolean
  readonly muted?: boolean
  readonly volume?: number
}

/** Returns a clip of a request that starts at a time of the output, seconds. */
export function clipAt(start: number, { path, from, seconds, speed = 1, ...more }: Cut) {
  return {
    clip_id: `${path} at ${start}`,
    ...{ material: path, clip_st: from, clip_ed: from + seconds * speed },
    ...{ track_st: start, track_ed: start + seconds, duration: seconds, speed, ...more },
  }
}

/** Returns clips that follow each other. A number is a gap, seconds. */
export function consecutiveClips(cuts: readonly (Cut | number)[], start = 0) {
  let at = start
  return cuts.flatMap((cut) => {
    const clipStart = at
    at += typeof cut === 'number' ? cut : cut.seconds
    return typeof cut === 'number' ? [] : [clipAt(clipStart, cut)]
  })
}

interface RequestOptions {
  readonly size?: readonly [number, number]
  readonly rate?: number
  readonly duration?: number
  readonly picture?: readonly ReturnType<typeof clipAt>[]
  readonly sound?: readonly (readonly ReturnType<typeof clipAt>[])[]
  readonly more?: Readonly<Record<string, unknown>>
}

/** Returns a request with one video track and any audio tracks. Its materials are paths. */
export function request({
  size = [160, 90],
  rate = 25,
  duration,
  picture = [],
  sound = [],
  more,
}: RequestOptions) {
  const usedMaterials = [...picture, ...sound.flat()].map(({ material }) => material)
  return {
    version: 'v1',
    video_size: [...size],
    video_rate: rate,
    ...(duration === undefined ? {} : { duration }),
    materials: [...new Set(usedMaterials)].map((id) => ({ id })),
    video_track: [{ track_index: 0, track_timeline: [...picture] }],
    audio_track: sound.map((clips, index) => ({ track_index: index, track_timeline: [...clips] })),
    ...more,
  }
}

/** Plans and runs a request whose materials are paths, like the service and a worker. Writes to `folder`. */
export async function render(
  body: ReturnType<typeof request>,
  folder: string,
  signal = new AbortController().signal,
): Promise<OperationRun<typeof videoTimelineRender>> {
  const files = await stageFiles(body.materials.map(({ id }) => id))
  return runInWorker({ operation: videoTimelineRender, plan, run }, withFileIds(body), {
    ...{ files, folder, signal },
  })
}

/** Returns the left channel of the sound of a request before it is limited and encoded, 48 kHz. Writes to `folder`. */
export async function renderSamples(body: ReturnType<typeof request>, folder: string): Promise<Float32Array> {
  const { signal } = new AbortController()
  const files = await stageFiles(body.materials.map(({ id }) => id))
  const timeline = readGtrk(videoTimelineRender.input.parse(withFileIds(body)))
  const context = { files, scratch: await mkdtemp(join(folder, 'sound-')) }
  const chunks: Float32Array[] = []
  for await (const chunk of timelineSound({ timeline, context, signal, timeoutMs: 60_000 }).input(signal))
    chunks.push(asFloats(chunk).slice())
  return concatSamples(chunks).filter((_, index) => index % 2 === 0)
}

function withFileIds(body: ReturnType<typeof request>): unknown {
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    (key === 'id' || key === 'material') && typeof value === 'string' ? fileIdOf(value) : value,
  )
}
