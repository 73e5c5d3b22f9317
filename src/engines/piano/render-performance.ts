import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LoudnessMeter, TruePeakMeter } from '../../media/audio/loudness.ts'
import type { Performance } from '../../media/piano/note.ts'
import { streamOutput } from '../ffmpeg/stream-output.ts'
import { fixedSizeChunks } from '../../platform/streams.ts'
import { inputArgs, runRaw } from '../ffmpeg/run.ts'
import { soundRate, stereoFilter } from '../ffmpeg/sound-filters.ts'
import type { Piano } from './piano.ts'

/** Properties of the source that the result matches. */
export interface SourceSound {
  /** Length in samples at 48 kHz. */
  readonly samples: number
  /** Integrated loudness, LUFS; undefined for silence. */
  readonly loudness: number | undefined
}

export interface RenderPerformanceOptions {
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Called with the number of rendered samples. */
  readonly onSamples?: (done: number) => void
}

/** Highest true peak of a result, linear: -1 dBTP, less 0.1 dB by which other meters may read higher. */
const peakCeiling = 10 ** (-1.1 / 20)

/** Mono is measured as one channel (EBU R128), not as two equal ones: difference in LU. */
const stereoGainLu = 10 * Math.log10(2)

/** Measures length and loudness of the source. */
export async function measureSourceSound(
  { path, mono }: { readonly path: string; readonly mono: boolean },
  { signal, timeoutMs }: RenderPerformanceOptions,
): Promise<SourceSound> {
  const args = [...inputArgs(path), '-map', '0:a:0', '-af', stereoFilter(mono), '-f', 'f32le', 'pipe:1']
  const loudness = new LoudnessMeter()
  let samples = 0
  const frame = 2 * Float32Array.BYTES_PER_ELEMENT
  for await (const piece of fixedSizeChunks(soundRate * frame, streamOutput({ args, signal, timeoutMs }), {
    rest: 'kept',
  })) {
    const count = Math.floor(piece.length / frame)
    loudness.push(new Float32Array(piece.buffer, 0, 2 * count))
    samples += count
  }
  const measured = loudness.finish()
  return { samples, loudness: measured === undefined || !mono ? measured : measured - stereoGainLu }
}

/**
 * Writes a performance as a WAV (48 kHz, stereo, 24 bits) with the length and loudness of its source and a true peak of
 * at most -1 dBTP. `loudnessDeficitLu` is the loudness lost to that limit, LU. The comment credits the piano where required.
 */
export async function renderPerformance(
  { piano, performance, source }: { piano: Piano; performance: Performance; source: SourceSound },
  {
    scratch,
    signal,
    timeoutMs,
    onSamples = () => {},
  }: RenderPerformanceOptions & { readonly scratch: string },
): Promise<{ readonly path: string; readonly loudnessDeficitLu: number }> {
  // Written while it is rendered: the gain is known only at the end.
  const played = join(scratch, 'piano.f32')
  const [loudness, peak] = [new LoudnessMeter(), new TruePeakMeter()]
  const { playPerformance: play } = await import('./synthesizer.ts')
  const playing = async function* () {
    let done = 0
    for await (const piece of play(piano.bank, performance, { rate: soundRate, samples: source.samples })) {
      signal.throwIfAborted()
      loudness.push(piece)
      peak.push(piece)
      yield new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength)
      onSamples((done += piece.length / 2))
    }
  }
  await writeFile(played, playing())
  const targetGain = 10 ** (((source.loudness ?? 0) - (loudness.finish() ?? 0)) / 20)
  const gain = Math.min(targetGain, peakCeiling / Math.max(peak.finish(), 1e-9))
  const path = join(scratch, 'piano.wav')
  await runRaw({
    ...{ signal, timeoutMs },
    args: [
      ...['-protocol_whitelist', 'file', '-f', 'f32le', '-ar', String(soundRate), '-ac', '2'],
      ...['-i', `file:${played}`, '-af', `volume=${gain}:precision=float`],
      // A plain WAV cannot store a length beyond 4 GiB.
      ...['-c:a', 'pcm_s24le', '-rf64', 'auto', '-bitexact'],
      ...(piano.credit === undefined ? [] : ['-metadata', `comment=${piano.credit}`]),
      path,
    ],
  })
  await rm(played)
  return { path, loudnessDeficitLu: 20 * Math.log10(targetGain / gain) }
}
