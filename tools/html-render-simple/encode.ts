import type { RunContext, StagedFile } from '../../src/contract/operation.ts'
import type { FrameSpan } from '../../src/engines/chromium/frame-spans.ts'
import { alphaDecoder } from '../../src/engines/ffmpeg/alpha-decoder.ts'
import { bt709Tags } from '../../src/engines/ffmpeg/colour.ts'
import { inputArgs, runFfmpeg } from '../../src/engines/ffmpeg/run.ts'
import type { LayerFormat } from './layer-stream.ts'
import { compositeGraph, layerGraph, soundGraph, type SoundInput } from './filter-graphs.ts'
import { formatRate, frameTime } from '../../src/media/frame-rate.ts'
import type { HtmlRenderInput, Schedule } from './schedule.ts'

type Render = HtmlRenderInput['render']

/** Everything that goes into a result. */
export interface Composition {
  readonly schedule: Schedule<StagedFile>
  readonly canvas: LayerFormat
  readonly render: Render
  /** The particles as a stream of pictures, and where they show; undefined where there are none. */
  readonly layer:
    | { readonly stream: AsyncIterable<Uint8Array>; readonly shown: readonly FrameSpan[] }
    | undefined
}

interface EncodeTarget {
  readonly path: string
  /** The estimate, from which the time limit follows. */
  readonly expectedSeconds: number
  readonly onProgress?: (percent: number) => void
}

const crfByQuality = { draft: 28, standard: 23, high: 18 }

/** Writes the result at a path with one encode. */
export async function encodeHtmlVideo(
  composition: Composition,
  context: RunContext,
  target: EncodeTarget,
): Promise<void> {
  const { canvas, render, layer } = composition
  const seconds = frameTime(canvas.frames, canvas.rate)
  const { inputs, output } =
    render.output_format === 'mp4'
      ? await mp4Arguments(composition)
      : layerArguments(composition, render.output_format)
  await runFfmpeg({
    args: [
      ...inputs,
      ...output,
      ...['-threads', encoderThreads(render, context), '-r', formatRate(canvas.rate)],
      // Half a frame more, so that rounding never takes the last one: the graphs end by themselves.
      ...['-t', (seconds + frameTime(0.5, canvas.rate)).toFixed(6)],
      // Nothing of the sources' tags (places, names) goes into the result.
      ...['-map_metadata', '-1', '-map_chapters', '-1', target.path],
    ],
    input: layer?.stream,
    cwd: context.scratch,
    signal: context.signal,
    // A machine may be busy and much slower than the one measured; this only ends what hangs.
    timeoutMs: (10 * 60 + 30 * target.expectedSeconds) * 1000,
    durationMs: seconds * 1000,
    ...(target.onProgress && { onProgress: target.onProgress }),
  })
}

/**
 * Threads of VP8's encoder wait by spinning: beside a browser on the same cores two were seen to take ten times as
 * long as one.
 */
function encoderThreads({ output_format }: Render, { threads }: RunContext): string {
  return output_format === 'webm' ? '1' : String(threads)
}

interface FfmpegArguments {
  readonly inputs: readonly string[]
  readonly output: readonly string[]
}

/**
 * Opaque pictures have no alpha, which the first filter evens out: filters that began anew would lose count of the
 * frames.
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
          },
        ]
      : []),
    ...(sound
      ? [{ index: soundIndex, mono: sound.facts?.audio[0]?.channels === 1, from: 0, seconds: undefined }]
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
      // Without -auto-alt-ref 0 the encoder refuses transparency. The rate only bounds what CRF decides.
      ...[
        '-c:v',
        'libvpx',
        '-pix_fmt',
        'yuva420p',
        '-auto-alt-ref',
        '0',
        '-deadline',
        'good',
        '-cpu-used',
        '5',
      ],
      ...['-crf', String(crfByQuality[render.quality]), '-b:v', '100M'],
    ],
  }
}
