import { videoTimelineRender } from '../../tools/video-timeline-render/contract.ts'
import { plan } from '../../tools/video-timeline-render/plan.ts'
import { run } from '../../tools/video-timeline-render/run.ts'
import { idOf, runOperation, stage, type Made } from '../tasks/run-operation.ts'

/** A clip as a test writes it: track times and speed follow from where it is put. */
export interface Cut {
  readonly path: string
  readonly from: number
  /** Length on the output, s. */
  readonly lasts: number
  readonly speed?: number
  readonly keep_pitch?: boolean
  readonly muted?: boolean
  readonly volume?: number
}

/** A clip of a request that starts at a time of the output. */
export function clipAt(start: number, { path, from, lasts, speed = 1, ...more }: Cut) {
  return {
    clip_id: `${path} at ${start}`,
    ...{ material: path, clip_st: from, clip_ed: from + lasts * speed },
    ...{ track_st: start, track_ed: start + lasts, duration: lasts, speed, ...more },
  }
}

/** Clips one after another; a number is a hole of that many seconds. */
export function consecutiveClips(cuts: readonly (Cut | number)[], start = 0) {
  let at = start
  return cuts.flatMap((cut) => {
    const before = at
    at += typeof cut === 'number' ? cut : cut.lasts
    return typeof cut === 'number' ? [] : [clipAt(before, cut)]
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

/** A request of one video track and any audio tracks, whose materials are paths. */
export function request({
  size = [160, 90],
  rate = 25,
  duration,
  picture = [],
  sound = [],
  more,
}: RequestOptions) {
  const used = [...picture, ...sound.flat()].map(({ material }) => material)
  return {
    version: 'v1',
    video_size: [...size],
    video_rate: rate,
    ...(duration === undefined ? {} : { duration }),
    materials: [...new Set(used)].map((id) => ({ id })),
    video_track: [{ track_index: 0, track_timeline: [...picture] }],
    audio_track: sound.map((clips, index) => ({ track_index: index, track_timeline: [...clips] })),
    ...more,
  }
}

/** Plans and runs a request whose materials are paths, as creation and a worker do, into `folder`. */
export async function render(
  body: ReturnType<typeof request>,
  folder: string,
  signal = new AbortController().signal,
): Promise<Made<typeof videoTimelineRender>> {
  const files = await stage(body.materials.map(({ id }) => id))
  const short = JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    (key === 'id' || key === 'material') && typeof value === 'string' ? idOf(value) : value,
  ) as unknown
  return runOperation({ operation: videoTimelineRender, plan, run }, short, { files, folder, signal })
}
