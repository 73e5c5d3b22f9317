import type { VideoFacts } from '../../contract/media-facts.ts'
import { bt709 } from '../ffmpeg/colour.ts'
import { blackFrames } from '../ffmpeg/black-frames.ts'
import { formatRate, hertz } from '../../media/frame-rate.ts'
import {
  groupReads,
  type TimelinePart,
  pieceMaterialRange,
  type SequentialRead,
  type MaterialRange,
} from '../../media/timeline/pieces.ts'
import { clipTolerance, type Timeline } from '../../media/timeline/timeline.ts'
import { framedPicture } from './framed-picture.ts'

/** Canvas and sources of the picture of a timeline. */
export interface PictureOptions {
  readonly canvas: Pick<Timeline, 'width' | 'height' | 'rate'>
  readonly videoOf: (material: string) => VideoFacts
  /** Returns whether decoding through the gap before the next range is faster than opening the file again. */
  readonly decodesThrough: (before: MaterialRange, next: MaterialRange) => boolean
  /** Draws subtitles over the finished frames. */
  readonly subtitles?: DrawnSubtitles | undefined
}

/** Subtitles over the frames of a part. */
export interface DrawnSubtitles {
  /** Filter that draws the subtitles of a frame's timestamp. */
  readonly filter: string
  /** Number of the part's first frame on the output, from which its timestamps follow. */
  readonly firstFrame: number
}

/** Inputs and filter graph of a part. The output label of the graph is [v]. */
export interface PartGraph {
  /** Inputs in order. Each is read from the key frame before its first range. */
  readonly reads: readonly SequentialRead[]
  readonly graph: string
  readonly endChecks: readonly EndCheck[]
}

/** Check whether a file had pictures up to the end of a range, or its last picture was repeated. */
export interface EndCheck {
  readonly range: MaterialRange
  /** Time from which at least one new picture is expected, in seconds of the source, unless the source has a gap. */
  readonly expectedFrom: number
  /** Name of a file in the folder of the run. It is non-empty if such a picture was decoded. */
  readonly markerFile: string
}

/**
 * Builds the graph that renders the exact frames of a part, fitted to the canvas. `name` is a prefix of marker files.
 * The main group is decoded from `reads`. The raw frames of the other groups are additional inputs after `reads`.
 */
export function partGraph(
  { groups, mainGroup }: TimelinePart,
  options: PictureOptions,
  name: string,
): PartGraph {
  const { rate } = options.canvas
  const ranges = mainGroup.map((piece) => pieceMaterialRange(piece, hertz(rate)))
  const reads = groupReads(
    ranges.filter((range) => range !== undefined),
    options.decodesThrough,
  )
  const endChecks: EndCheck[] = []
  const chains = mainGroup.map((piece, index) => {
    const range = ranges[index]
    const label = `[p${index}]`
    if (!range) return `${blackFrames({ ...options.canvas, frames: piece.units })},setsar=1${label}`
    const endCheck = {
      range,
      expectedFrom: lastPictureExpectedFrom(range, options),
      markerFile: `${name}-${index}.marker`,
    }
    endChecks.push(endCheck)
    return `[r${index}]${pieceFilters(endCheck, options, String(index))}${label}`
  })
  // One input per read, split if several pieces use it.
  const inputs = reads.map((read, input) => {
    const labels = read.map((range) => `[r${ranges.indexOf(range)}]`)
    return `[${input}:V:0]${labels.length > 1 ? `split=${labels.length}` : 'null'}${labels.join('')}`
  })
  const otherGroups = groups.filter((group) => group !== mainGroup)
  const rawInputs = otherGroups.map(
    (_, index) => `[${reads.length + index}:v]setparams=${bt709},setsar=1[g${index}]`,
  )
  const labels = groups.flatMap((group) =>
    group === mainGroup ? mainGroup.map((_, index) => `[p${index}]`) : [`[g${otherGroups.indexOf(group)}]`],
  )
  // Sets timestamps from frame numbers, because those of concat are rounded.
  const end = `${labels.join('')}concat=n=${labels.length}:v=1:a=0,${subtitleFilters(options)}settb=${rate.den}/${rate.num},setpts=N,setparams=${bt709}[v]`
  return { reads, graph: [...inputs, ...rawInputs, ...chains, end].join(';'), endChecks }
}

/**
 * Returns the filters that draw subtitles at the times of the output. Half a millisecond is added, because libass counts
 * whole ones and the product of a frame number and a rate may be slightly below one.
 */
function subtitleFilters({ canvas: { rate }, subtitles }: PictureOptions): string {
  if (!subtitles) return ''
  const microseconds = `(N+${subtitles.firstFrame})*${rate.den * 1e6}/${rate.num}+500`
  return `settb=AVTB,setpts=${microseconds},${subtitles.filter},`
}

/** Maximum time from the start of the last picture to the end of a range, seconds: files round their times. */
const maxMissedSeconds = 1

/** Returns the time from which the last pictures of a range are expected, in seconds of its file. */
function lastPictureExpectedFrom({ clip, to }: MaterialRange, { canvas, videoOf }: PictureOptions): number {
  const end = (videoOf(clip.material).duration_ms || Infinity) / 1000
  return Math.max(0, Math.min(to, end) - maxMissedSeconds - (2 * clip.speed) / hertz(canvas.rate))
}

/**
 * Returns the filters from a decoded, upright picture, with timestamps of its file, to the frames of one
 * piece. Repeats the previous picture if the next one is late or missing.
 */
function pieceFilters(
  { range, expectedFrom, markerFile }: EndCheck,
  options: PictureOptions,
  /** Suffix that makes the labels of the piece unique in the graph. */
  label: string,
): string {
  const { canvas, videoOf } = options
  const { clip, from, to, units } = range
  const video = videoOf(clip.material)
  const frameSeconds = clip.speed / hertz(canvas.rate)
  const time = `PTS-${formatFilterSeconds(from + samplingOffset(frameSeconds) - frameSeconds / 2)}/TB`
  return [
    // A file's time base may be as coarse as its frames. A picture that starts at the end of the cut must not be
    // visible.
    `settb=AVTB,trim=end=${formatFilterSeconds(Math.max(to - clipTolerance, from + clipTolerance))}`,
    `metadata=mode=add:key=late:value=1:enable='gte(t,${formatFilterSeconds(expectedFrom)})',metadata=mode=print:key=late:file=${markerFile}`,
    // The last picture may be much earlier than the range. tpad counts in frames of the rate, which ffmpeg 7 does not know
    // after setpts.
    `tpad=stop_mode=clone:stop_duration=${formatFilterSeconds(maxMissedSeconds + 2 * frameSeconds + to)}`,
    // Shifts the sampling time to the middle of its frame, which is where fps samples.
    `setpts=max(0\\,${time})/${clip.speed},fps=fps=${formatRate(canvas.rate)}:start_time=0,trim=end_frame=${units}`,
    framedPicture({ canvas, video, range, label }),
    'setsar=1',
  ].join(',')
}

/**
 * Returns the time from the start of a frame to the moment at which its source is sampled, in seconds of the
 * source. Near the middle of the frame, picture and sound stay in sync, and in points may be off by a few ms. The
 * exact start and the exact middle are avoided: pictures start there (in the middle if their rate is twice the
 * output's), and files and callers round such times. frameSeconds: duration of an output frame in the source.
 */
function samplingOffset(frameSeconds: number): number {
  return Math.max(frameSeconds / 2 - clipTolerance, clipTolerance)
}

function formatFilterSeconds(value: number): string {
  return value.toFixed(6)
}
