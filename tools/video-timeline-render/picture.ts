import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { containedSize } from '../../src/media/layout/canvas.ts'
import type { Part } from '../../src/media/timeline/divide.ts'
import { groupReads, pieceStretch } from '../../src/media/timeline/reads.ts'
import type { Read, Stretch } from '../../src/media/timeline/reads.ts'
import { clipTolerance } from '../../src/media/timeline/timeline.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'

/** What a part is made for and of. */
export interface PictureOptions {
  readonly canvas: Pick<Timeline, 'width' | 'height' | 'rate'>
  readonly videoOf: (material: string) => VideoFacts
  /** Whether decoding on from one stretch to the next takes less than opening the file again. */
  readonly decodesThrough: (before: Stretch, next: Stretch) => boolean
}

/** The picture of a part of the output: what is read, and the filter graph that ends in [v]. */
export interface PictureGraph {
  /** Inputs in order; each is begun at the key frame before its first stretch. */
  readonly reads: readonly Read[]
  readonly graph: string
  readonly endings: readonly Ending[]
}

/** How to learn whether a stretch had pictures up to its end, or whether an early one stands for them. */
export interface Ending {
  readonly stretch: Stretch
  /** The source shows a new picture from then on, s, or has a hole. */
  readonly due: number
  /** File in the folder of the run that holds something where such a picture came. */
  readonly markerFile: string
}

/**
 * Plans the picture of a part of some name: exactly its frames, fitted to the canvas. After the inputs that are read
 * come those that hold the raw frames of its other groups.
 */
export function pictureGraph({ groups, live }: Part, wish: PictureOptions, name: string): PictureGraph {
  const { rate } = wish.canvas
  const stretches = live.map((piece) => pieceStretch(piece, rate))
  const reads = groupReads(
    stretches.filter((one) => one !== undefined),
    wish.decodesThrough,
  )
  const endings: Ending[] = []
  const chains = live.map((piece, index) => {
    const stretch = stretches[index]
    const label = `[p${index}]`
    if (!stretch) return `${black(wish, piece.units)}${label}`
    const ending = { stretch, due: lastPictureDue(stretch, wish), markerFile: `${name}-${index}.told` }
    endings.push(ending)
    return `[r${index}]${pieceFilters(ending, wish, String(index))}${label}`
  })
  // One input for each read, split where several pieces are made of it.
  const inputs = reads.map((read, input) => {
    const labels = read.map((stretch) => `[r${stretches.indexOf(stretch)}]`)
    return `[${input}:V:0]${labels.length > 1 ? `split=${labels.length}` : 'null'}${labels.join('')}`
  })
  const others = groups.filter((group) => group !== live)
  const raw = others.map((_, index) => `[${reads.length + index}:v]setparams=${bt709},setsar=1[g${index}]`)
  const all = groups.flatMap((group) =>
    group === live ? live.map((_, index) => `[p${index}]`) : [`[g${others.indexOf(group)}]`],
  )
  // Times anew from whole frames: concat's are rounded.
  const end = `${all.join('')}concat=n=${all.length}:v=1:a=0,settb=1/${rate},setpts=N,setparams=${bt709}[v]`
  return { reads, graph: [...inputs, ...raw, ...chains, end].join(';'), endings }
}

function black({ canvas: { width, height, rate } }: PictureOptions, frames: number): string {
  return `color=black:size=${width}x${height}:rate=${rate},trim=end_frame=${frames},format=yuv420p,setsar=1`
}

/** A last picture may come this much before the end of a stretch, s, however files round. */
const maxMissedSeconds = 1

/** When the last pictures of a stretch are due, s of its file. */
function lastPictureDue({ clip, to }: Stretch, { canvas, videoOf }: PictureOptions): number {
  const end = (videoOf(clip.material).duration_ms || Infinity) / 1000
  return Math.max(0, Math.min(to, end) - maxMissedSeconds - (2 * clip.speed) / canvas.rate)
}

/**
 * From a decoded, turned picture, in times of its file, to the frames of one piece. Where the next picture comes
 * late or never, the last one stands.
 */
function pieceFilters(
  { stretch: { clip, from, to, units }, due, markerFile }: Ending,
  wish: PictureOptions,
  /** Keeps the pieces of a graph apart. */
  label: string,
): string {
  const { canvas } = wish
  const video = wish.videoOf(clip.material)
  const frame = clip.speed / canvas.rate
  const time = `PTS-${formatFilterSeconds(from + lookAhead(frame) - frame / 2)}/TB`
  const size = containedSize(canvas, video.width / video.height)
  const [x, y] = [(canvas.width - size.width) / 2, (canvas.height - size.height) / 2]
  const isWhole = x === 0 && y === 0
  return [
    // A file's clock may be as coarse as its frames. Nothing of what begins at the cut's end may show.
    `settb=AVTB,trim=end=${formatFilterSeconds(Math.max(to - clipTolerance, from + clipTolerance))}`,
    `metadata=mode=add:key=late:value=1:enable='gte(t,${formatFilterSeconds(due)})',metadata=mode=print:key=late:file=${markerFile}`,
    // What is looked at comes to the middle of its frame, by which fps takes it. The last may have come long before.
    `setpts=max(0\\,${time}),tpad=stop_mode=clone:stop_duration=${formatFilterSeconds(maxMissedSeconds + 2 * frame + to - from)}`,
    `setpts=PTS/${clip.speed},fps=fps=${canvas.rate}:start_time=0,trim=end_frame=${units}`,
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    ...(video.alpha ? [overBlackFilter(size, canvas.rate, label)] : []),
    `setparams=${bt709},format=yuv420p`,
    ...(isWhole ? [] : [`pad=w=${canvas.width}:h=${canvas.height}:x=${x}:y=${y}:color=black`]),
    'setsar=1',
  ].join(',')
}

/**
 * How long after a frame's start its source is looked at, s of the source: in the middle of the frame's own time,
 * which keeps picture and sound together best and forgives in points that are off by some milliseconds. But never
 * where pictures mostly begin, at its start or (of a rate that is twice the output's) in its middle, as files and
 * callers round such times.
 */
function lookAhead(frame: number): number {
  return Math.max(frame / 2 - clipTolerance, clipTolerance)
}

/** Lays a transparent picture over black. */
function overBlackFilter(size: { width: number; height: number }, rate: number, label: string): string {
  const still = `color=black:size=${size.width}x${size.height}:rate=${rate},format=yuv420p`
  return `format=yuva420p[t${label}];${still}[b${label}];[b${label}][t${label}]overlay=format=yuv420:shortest=1`
}

function formatFilterSeconds(value: number): string {
  return value.toFixed(6)
}
