import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { bt709, scaleTo, toneMap } from '../../src/engines/ffmpeg/colour.ts'
import { containedSize } from '../../src/media/layout/canvas.ts'
import {
  groupReads,
  type TimelinePart,
  pieceSourceRange,
  type SequentialRead,
  type SourceRange,
} from '../../src/media/timeline/pieces.ts'
import { clipTolerance } from '../../src/media/timeline/timeline.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'

/** Canvas and sources of a picture. */
export interface PictureOptions {
  readonly canvas: Pick<Timeline, 'width' | 'height' | 'rate'>
  readonly videoOf: (material: string) => VideoFacts
  /** Returns whether decoding up to the next section is faster than opening the file again. */
  readonly decodesThrough: (before: SourceRange, next: SourceRange) => boolean
}

/** Picture of a part: its inputs and the filter graph, which ends in [v]. */
export interface PictureGraph {
  /** Inputs in order. Each starts at the key frame before its first section. */
  readonly reads: readonly SequentialRead[]
  readonly graph: string
  readonly endChecks: readonly EndCheck[]
}

/** How to check whether a section had pictures until its end or its last picture was repeated. */
export interface EndCheck {
  readonly range: SourceRange
  /** Time from which a new picture is expected, in seconds of the source, unless the source has a gap. */
  readonly expectedFrom: number
  /** File in the folder of the run that is non-empty if such a picture was decoded. */
  readonly markerFile: string
}

/**
 * Builds the graph for the exact frames of a part, fitted to the canvas. `name` is a prefix of marker files.
 * The raw frames of the part's other groups are additional inputs after `reads`.
 */
export function partGraph(
  { groups, mainGroup: live }: TimelinePart,
  wish: PictureOptions,
  name: string,
): PictureGraph {
  const { rate } = wish.canvas
  const stretches = live.map((piece) => pieceSourceRange(piece, rate))
  const reads = groupReads(
    stretches.filter((one) => one !== undefined),
    wish.decodesThrough,
  )
  const endings: EndCheck[] = []
  const chains = live.map((piece, index) => {
    const stretch = stretches[index]
    const label = `[p${index}]`
    if (!stretch) return `${blackSource(wish, piece.units)}${label}`
    const ending = {
      stretch,
      due: lastPictureExpectedFrom(stretch, wish),
      markerFile: `${name}-${index}.marker`,
    }
    endings.push(ending)
    return `[r${index}]${pieceFilters(ending, wish, String(index))}${label}`
  })
  // One input per read, split if several pieces use it.
  const inputs = reads.map((read, input) => {
    const labels = read.map((stretch) => `[r${stretches.indexOf(stretch)}]`)
    return `[${input}:V:0]${labels.length > 1 ? `split=${labels.length}` : 'null'}${labels.join('')}`
  })
  const others = groups.filter((group) => group !== live)
  const raw = others.map((_, index) => `[${reads.length + index}:v]setparams=${bt709},setsar=1[g${index}]`)
  const all = groups.flatMap((group) =>
    group === live ? live.map((_, index) => `[p${index}]`) : [`[g${others.indexOf(group)}]`],
  )
  // Sets timestamps from frame numbers, because those of concat are rounded.
  const end = `${all.join('')}concat=n=${all.length}:v=1:a=0,settb=1/${rate},setpts=N,setparams=${bt709}[v]`
  return { reads, graph: [...inputs, ...raw, ...chains, end].join(';'), endChecks: endings }
}

function blackSource({ canvas: { width, height, rate } }: PictureOptions, frames: number): string {
  return `color=black:size=${width}x${height}:rate=${rate},trim=end_frame=${frames},format=yuv420p,setsar=1`
}

/**
 * The last picture may start this long before the end of a section, seconds, because files round their times.
 */
const maxMissedSeconds = 1

/** Returns when the last pictures of a section are expected, in seconds of its file. */
function lastPictureExpectedFrom({ clip, to }: SourceRange, { canvas, videoOf }: PictureOptions): number {
  const end = (videoOf(clip.material).duration_ms || Infinity) / 1000
  return Math.max(0, Math.min(to, end) - maxMissedSeconds - (2 * clip.speed) / canvas.rate)
}

/**
 * Returns the filters from a decoded, upright picture, with timestamps of its file, to the frames of one
 * piece. Repeats the previous picture if the next one is late or missing.
 */
function pieceFilters(
  { range: { clip, from, to, units }, expectedFrom: due, markerFile }: EndCheck,
  wish: PictureOptions,
  /** Distinguishes the labels of pieces in a graph. */
  label: string,
): string {
  const { canvas } = wish
  const video = wish.videoOf(clip.material)
  const frame = clip.speed / canvas.rate
  const time = `PTS-${formatFilterSeconds(from + samplingOffset(frame) - frame / 2)}/TB`
  const size = containedSize(canvas, video.width / video.height)
  const [x, y] = [(canvas.width - size.width) / 2, (canvas.height - size.height) / 2]
  const isWhole = x === 0 && y === 0
  return [
    // A file's time base may be as coarse as its frames. No picture that starts at the end of the cut may
    // show.
    `settb=AVTB,trim=end=${formatFilterSeconds(Math.max(to - clipTolerance, from + clipTolerance))}`,
    `metadata=mode=add:key=late:value=1:enable='gte(t,${formatFilterSeconds(due)})',metadata=mode=print:key=late:file=${markerFile}`,
    // Shifts the sampling time to the middle of its frame, where fps picks it. The last picture may be much
    // earlier.
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
 * Returns how long after a frame's start its source is sampled, in seconds of the source. The middle of the
 * frame keeps picture and sound in sync and tolerates in points that are off by a few ms. The exact start and
 * the exact middle are avoided: pictures start there (in the middle if their rate is twice the output's), and
 * files and callers round such times.
 */
function samplingOffset(frame: number): number {
  return Math.max(frame / 2 - clipTolerance, clipTolerance)
}

/** Composites a transparent picture over black. */
function overBlackFilter(size: { width: number; height: number }, rate: number, label: string): string {
  const still = `color=black:size=${size.width}x${size.height}:rate=${rate},format=yuv420p`
  return `format=yuva420p[t${label}];${still}[b${label}];[b${label}][t${label}]overlay=format=yuv420:shortest=1`
}

function formatFilterSeconds(value: number): string {
  return value.toFixed(6)
}
