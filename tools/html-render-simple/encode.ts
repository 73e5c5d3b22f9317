import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import { alphaDecoder } from '../../src/engines/ffmpeg/input-options.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { inputArgs, runFfmpeg } from '../../src/engines/ffmpeg/run.ts'
import { limitTruePeak } from '../../src/engines/ffmpeg/true-peak.ts'
import type { LayerFormat } from './layer-stream.ts'
import { compositeGraph, layerGraph, soundGraph, type SoundInput } from './filter-graphs.ts'
import { formatRate, frameTime } from '../../src/media/frame-rate.ts'
import type { HtmlRenderInput, Schedule } from './schedule.ts'

type Render = HtmlRenderInput['render']

/** Inputs of an encode. */
export interface Composition {
  readonly schedule: Schedule<StagedFile>
  readonly canvas: LayerFormat
  readonly render: Render
  /** Matroska stream of the particles' pictures, and the frames that show any; undefined without particles. */
  readonly layer:
    | { readonly stream: AsyncIterable<Uint8Array>; readonly shown: readonly FrameSpan[] }
    | undefined
}

interface EncodeTarget {
  readonly path: string
  /** Estimated duration of the encode, from which the time limit is derived. */
  readonly expectedSeconds: number
  readonly onProgress?: (percent: number) => void
  /** Called with 0 to 100 while the sound of a mix is limited. */
  readonly onLimiting: (percent: number) => void
}

const crfByQuality = { draft: 28, standard: 23, high: 18 }

/** Returns whether the sound of a result is a mix, which `limitTruePeak` limits after the encoding. */
export function isMixed({ schedule, render }: Pick<Composition, 'schedule' | 'render'>): boolean {
  const { base, sound } = schedule
  return render.output_format === 'mp4' && base?.isHeard === true && sound !== undefined
}

/** Encodes the result to a file in one pass, then limits its sound if it is a mix. Returns notes for the result. */
export async function encodeHtmlVideo(
  composition: Composition,
  context: RunContext,
  target: EncodeTarget,
): Promise<string[]> {
  const { canvas, render, layer } = composition
  const seconds = frameTime(canvas.frames, canvas.rate)
  // Generous, because a busy machine is much slower than estimated: only ends hanging processes.
  const timeoutMs = (10 * 60 + 30 * target.expectedSeconds) * 1000
  const { inputs, output } =
    render.output_format === 'mp4'
      ? await mp4Arguments(composition)
      : layerArguments(composition, render.output_format)
  await runFfmpeg({
    args: [
      ...inputs,
      ...output,
      ...['-threads', encoderThreads(render, context), '-r', formatRate(canvas.rate)],
      // Half a frame more, so that rounding never drops the last frame; the graphs end on their own.
      ...['-t', (seconds + frameTime(0.5, canvas.rate)).toFixed(6)],
      // Do not copy metadata of the sources, such as places and names.
      ...['-map_metadata', '-1', '-map_chapters', '-1', target.path],
    ],
    input: layer?.stream,
    cwd: context.scratch,
    signal: context.signal,
    timeoutMs,
    durationMs: seconds * 1000,
    ...(target.onProgress && { onProgress: target.onProgress }),
  })
  if (!isMixed(composition)) return []
  const { onLimiting: onProgress } = target
  return await limitTruePeak(target.path, { seconds, signal: context.signal, timeoutMs, onProgress })
}

/**
 * Number of encoder threads. VP8 uses one: its threads spin while waiting, and two next to a browser on the same cores
 * took ten times as long as one.
 */
function encoderThreads({ output_format }: Render, { threads }: RunContext): string {
  return output_format === 'webm' ? '1' : String(threads)
}

interface FfmpegArguments {
  readonly inputs: readonly string[]
  readonly output: readonly string[]
}

/**
 * Options of the layer's input. Opaque pictures have no alpha, which the first filter converts. Reinitializing the
 * filters at such changes would reset their frame count.
 */
const layerInput = ['-reinit_filter', '0', '-f', 'matroska', '-protocol_whitelist', 'pipe', '-i', 'pipe:0']

async function mp4Arguments({ schedule, canvas, render, layer }: Composition): Promise<FfmpegArguments> {
  const { base, sound, rate } = schedule
  const files = [base?.file, sound].filter((file) => file !== undefined)
  const soundIndex = files.length - 1
  const inputs = await Promise.all(
    files.map(async ({ path, facts }) =>
      inputArgs(path, facts?.video && path === base?.file.path ? await alphaDecoder(facts.video) : []),
    ),
  )
  const sounds: SoundInput[] = [
    ...(base?.isHeard
      ? [
          {
            index: 0,
            mono: base.file.facts?.audio[0]?.channels === 1,
            from: frameTime(base.startFrame, rate),
            seconds: frameTime(base.endFrame - base.startFrame, rate),
            streamSeconds: soundEndSeconds(base.file),
          },
        ]
      : []),
    ...(sound
      ? [
          {
            ...{ index: soundIndex, mono: sound.facts?.audio[0]?.channels === 1 },
            ...{ from: 0, seconds: undefined, streamSeconds: soundEndSeconds(sound) },
          },
        ]
      : []),
  ]
  const picture = compositeGraph({
    base: base && { ...base, index: 0 },
    layer: layer && { index: files.length, shown: layer.shown },
    canvas,
  })
  const graphs = [
    picture,
    ...(sounds.length > 0 ? [soundGraph(sounds, frameTime(canvas.frames, canvas.rate))] : []),
  ]
  return {
    inputs: [...inputs.flat(), ...(layer ? layerInput : [])],
    output: [
      ...['-filter_complex', graphs.join(';'), '-map', '[v]'],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', String(crfByQuality[render.quality])],
      ...['-pix_fmt', 'yuv420p', ...bt709Tags],
      ...(sounds.length > 0 ? ['-map', '[a]', '-c:a', 'aac', '-b:a', '192k'] : []),
      ...['-movflags', '+faststart'],
    ],
  }
}

/** Returns when the first audio stream of a file ends, seconds. */
function soundEndSeconds({ facts }: StagedFile): number {
  const { start_ms: start = 0, duration_ms: duration = 0 } = facts?.audio[0] ?? {}
  return (start + (duration || (facts?.duration_ms ?? 0))) / 1000
}

/**
 * Returns options for key frames at least once per second. Colour and transparency are coded by two encoders. Only forced
 * key frames are in both, so that a seek finds both; equal distances disable those that each encoder inserts on its own.
 */
function jointKeyFrames({ rate }: LayerFormat): string[] {
  const distance = String(Math.max(1, Math.floor(rate.num / rate.den)))
  return ['-g', distance, '-keyint_min', distance, '-force_key_frames', `expr:not(mod(n,${distance}))`]
}

function layerArguments({ canvas, render }: Composition, format: 'webm' | 'qtrle'): FfmpegArguments {
  if (format === 'qtrle') {
    const output = ['-filter_complex', layerGraph(0, canvas, 'argb'), '-map', '[v]', '-c:v', 'qtrle']
    return { inputs: layerInput, output: [...output, '-pix_fmt', 'argb'] }
  }
  return {
    inputs: layerInput,
    output: [
      ...['-filter_complex', layerGraph(0, canvas, 'yuva420p'), '-map', '[v]', ...bt709Tags],
      ...['-colorspace', 'smpte170m'],
      // The encoder rejects transparency without -auto-alt-ref 0. The bit rate only limits CRF.
      ...['-c:v', 'libvpx', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0', '-deadline', 'good'],
      ...['-cpu-used', '5', '-crf', String(crfByQuality[render.quality]), '-b:v', '100M'],
      ...jointKeyFrames(canvas),
    ],
  }
}
