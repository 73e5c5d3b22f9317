import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { contained } from '../../src/media/layout/canvas.ts'
import type { Piece } from '../../src/media/timeline/lay-out.ts'
import { readsOf, stretchOf } from '../../src/media/timeline/reads.ts'
import type { Read, Stretch } from '../../src/media/timeline/reads.ts'
import { rounding } from '../../src/media/timeline/timeline.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'

/** What a part is made for and of. */
export interface PictureWish {
  readonly canvas: Pick<Timeline, 'width' | 'height' | 'rate'>
  readonly videoOf: (material: string) => VideoFacts
  /** Whether decoding on from one stretch to the next takes less than opening the file again. */
  readonly worth: (before: Stretch, next: Stretch) => boolean
}

/** The picture of a part of the output: what is read, and the filter graph that ends in [v]. */
export interface PictureGraph {
  /** Inputs in order; each is begun at the key frame before its first stretch. */
  readonly reads: readonly Read[]
  readonly graph: string
}

/** Plans the picture of pieces that follow each other: exactly their frames, fitted to the canvas. */
export function pictureGraph(pieces: readonly Piece[], wish: PictureWish): PictureGraph {
  const { rate } = wish.canvas
  const stretches = pieces.map((piece) => stretchOf(piece, rate))
  const reads = readsOf(
    stretches.filter((one) => one !== undefined),
    wish.worth,
  )
  const chains = pieces.map((piece, index) => {
    const stretch = stretches[index]
    const label = `[p${index}]`
    if (!stretch) return `${black(wish, piece.units)}${label}`
    return `[r${index}]${clipChain(stretch, wish, String(index))}${label}`
  })
  // One input for each read, split where several pieces are made of it.
  const inputs = reads.map((read, input) => {
    const labels = read.map((stretch) => `[r${stretches.indexOf(stretch)}]`)
    return `[${input}:V:0]${labels.length > 1 ? `split=${labels.length}` : 'null'}${labels.join('')}`
  })
  const all = pieces.map((_, index) => `[p${index}]`).join('')
  // Times anew from whole frames: concat's are rounded.
  const end = `${all}concat=n=${pieces.length}:v=1:a=0,settb=1/${rate},setpts=N,setparams=${bt709}[v]`
  return { reads, graph: [...inputs, ...chains, end].join(';') }
}

function black({ canvas: { width, height, rate } }: PictureWish, frames: number): string {
  return `color=black:size=${width}x${height}:rate=${rate},trim=end_frame=${frames},format=yuv420p,setsar=1`
}

/**
 * From a decoded, turned picture, in times of its file, to the frames of one piece. Where the source's picture
 * ends first, its last frame stands. Of an even rate a longer hole than a file's rounding explains is left, so that
 * missing pictures are noticed.
 */
function clipChain(
  stretch: Stretch,
  wish: PictureWish,
  /** Keeps the pieces of a graph apart. */
  label: string,
): string {
  const { clip, from, to, units } = stretch
  const { canvas } = wish
  const video = wish.videoOf(clip.material)
  const frame = clip.speed / canvas.rate
  const end = (video.duration_ms || Infinity) / 1000
  // The last picture may have come long ago.
  const standing = video.variable_rate || from >= end
  const hold = 1 + 2 * frame + (standing ? to - from : Math.max(0, to - end))
  const time = `PTS-${seconds(from + lookAhead(frame) - frame / 2)}/TB`
  const size = contained(canvas, video.width / video.height)
  const [x, y] = [(canvas.width - size.width) / 2, (canvas.height - size.height) / 2]
  const isWhole = x === 0 && y === 0
  return [
    // A file's clock may be as coarse as its frames. Nothing of what begins at the cut's end may show.
    `settb=AVTB,trim=end=${seconds(Math.max(to - rounding, from + rounding))}`,
    // What is looked at comes to the middle of its frame, by which fps takes it.
    `setpts=${standing ? `max(0\\,${time})` : time},tpad=stop_mode=clone:stop_duration=${seconds(hold)}`,
    `setpts=PTS/${clip.speed},fps=fps=${canvas.rate}:start_time=0,trim=end_frame=${units}`,
    scaleTo(video, size),
    ...(video.hdr ? toneMap : []),
    ...(video.alpha ? [overBlack(size, canvas.rate, label)] : []),
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
  return Math.max(frame / 2 - rounding, rounding)
}

/** Lays a transparent picture over black. */
function overBlack(size: { width: number; height: number }, rate: number, label: string): string {
  const still = `color=black:size=${size.width}x${size.height}:rate=${rate},format=yuv420p`
  return `format=yuva420p[t${label}];${still}[b${label}];[b${label}][t${label}]overlay=format=yuv420:shortest=1`
}

function seconds(value: number): string {
  return value.toFixed(6)
}
