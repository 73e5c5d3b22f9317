import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../../contract/errors.ts'
import type { RunContext, StagedFile } from '../../contract/operation.ts'
import { fixedWindows } from '../../media/audio/windows.ts'
import { MusicDetector } from '../../media/dubbing/music-detector.ts'
import { fileUrl, runRaw } from '../ffmpeg/run.ts'
import { soundRate } from '../ffmpeg/sound-filters.ts'
import { decodeVoice } from '../ffmpeg/sound.ts'
import { openStepCache } from '../ffmpeg/step-cache.ts'
import { selectSeparator } from '../speech/select-engine.ts'
import type { VoiceSeparator } from '../speech/voice-separation.ts'
import { writeComplete } from './complete-file.ts'

interface SeparateSourceOptions extends Pick<RunContext, 'steps' | 'signal'> {
  /** Called with 0 to 1, never decreasing. */
  readonly onShare?: (share: number) => void
}

/** The separated sound of a file, as WAV files that start with the file and are as long as it. */
export interface SeparatedSource {
  /** Voices: mono, at the rate of the separator. */
  readonly voice: string
  /** Other sound, if there is music in it: stereo, 48 kHz. */
  readonly music: string | null
  /** Energy of other sound than voices as a share of all energy, 0 to 1; 0 if the separator does not return it. */
  readonly musicShare: number
  readonly seconds: number
  /** Name of the separator, and whether it returns music. */
  readonly separator: string
  readonly keepsMusic: boolean
}

/**
 * Separates the voices of a file from its music. Finished results are stored in `steps` for the next attempt; memory does
 * not depend on the length. Throws 6014 without sound, 6401 if no separator is installed.
 */
export async function separateSource(
  file: StagedFile,
  { steps, signal, onShare = () => {} }: SeparateSourceOptions,
): Promise<SeparatedSource> {
  const { facts, path, blake3, name } = file
  const [sound] = facts?.audio ?? []
  if (!facts || !sound) throw new MediaError(6014, `${name} has no sound`, { hint: 'Use a file with sound.' })
  const selected = await selectSeparator()
  const source = { path, mono: sound.channels === 1, seconds: facts.duration_ms / 1000 }
  const cache = await openStepCache(steps)
  const text = await cache.text('separated', [blake3, selected.name, source.seconds], async () => {
    await using separator = await selected.open(signal)
    return JSON.stringify(await separateTo(steps, separator, { source, signal, onShare }))
  })
  onShare(1)
  return JSON.parse(text) as SeparatedSource
}

interface SeparateToOptions {
  readonly source: { readonly path: string; readonly mono: boolean; readonly seconds: number }
  readonly signal: AbortSignal
  readonly onShare: (share: number) => void
}

/** Time limits, ms: a base, and an addition per second of sound, which a slow machine may take. */
const [startMs, secondMs] = [600_000, 30_000]

/** Share of the progress of the separation itself; the rest is the search for music. */
const separationShare = 0.95

/** Writes the separated sound to a folder. */
async function separateTo(
  folder: string,
  separator: VoiceSeparator,
  { source, signal, onShare }: SeparateToOptions,
): Promise<SeparatedSource> {
  const { name, keepsMusic } = separator
  const [voice, music] = ['voice', 'music'].map((kind) => join(folder, `${kind}-${name}.wav`)) as [
    string,
    string,
  ]
  const limits = { signal, timeoutMs: startMs + secondMs * source.seconds }
  const energies = { music: 0, whole: 0 }
  async function* separated(ended: AbortSignal): AsyncGenerator<Uint8Array> {
    const options = { ...limits, signal: AbortSignal.any([signal, ended]) }
    let values = 0
    for await (const chunk of separator.separate(source, options)) {
      const samples = interleave(chunk, separator.channels)
      addEnergies(energies, chunk)
      values += chunk.voice.length
      yield new Uint8Array(samples.buffer, 0, samples.byteLength)
      onShare(Math.min(1, values / (separator.channels * separator.rate * source.seconds)) * separationShare)
    }
  }
  const encode = async (outputs: readonly [string, string]) => {
    await runRaw({ args: writeArgs(separator, outputs), input: separated, ...limits })
  }
  if (keepsMusic) await writeComplete(voice, (one) => writeComplete(music, (two) => encode([one, two])))
  else await writeComplete(voice, (one) => encode([one, music]))
  const hasMusic = keepsMusic && (await containsMusic(voice, music, limits))
  if (keepsMusic && !hasMusic) await rm(music)
  return {
    ...{ voice, music: hasMusic ? music : null, seconds: source.seconds, separator: name, keepsMusic },
    musicShare: energies.whole > 0 ? Math.min(1, energies.music / energies.whole) : 0,
  }
}

interface SeparatedChunk {
  readonly voice: Float32Array
  readonly music: Float32Array | null
}

/** Returns the channels of the voice and of the music as those of one sound. */
function interleave({ voice, music }: SeparatedChunk, channels: number): Float32Array<ArrayBuffer> {
  if (!music) return new Float32Array(voice)
  const all = new Float32Array(2 * voice.length)
  for (let first = 0; first < voice.length; first += channels) {
    for (let channel = 0; channel < channels; channel += 1) {
      const place = 2 * first + channel
      all[place] = voice[first + channel] ?? 0
      all[place + channels] = music[first + channel] ?? 0
    }
  }
  return all
}

function addEnergies(energies: { music: number; whole: number }, { voice, music }: SeparatedChunk): void {
  for (let at = 0; at < voice.length; at += 1) {
    const other = music?.[at] ?? 0
    energies.music += other * other
    energies.whole += ((voice[at] ?? 0) + other) ** 2
  }
}

/** Returns the arguments that write the voice, and the music if the separator returns it. */
function writeArgs(
  { rate, channels, keepsMusic }: VoiceSeparator,
  [voice, music]: readonly [string, string],
): string[] {
  const count = keepsMusic ? 2 * channels : channels
  const mean = channels === 1 ? 'c0' : '0.5*c0+0.5*c1'
  const sides = channels === 1 ? 'c0=c1|c1=c1' : 'c0=c2|c1=c3'
  const graph = keepsMusic
    ? `[0:a]asplit[v][m];[v]pan=mono|c0=${mean}[voice];[m]pan=stereo|${sides},aresample=${soundRate}[music]`
    : `[0:a]pan=mono|c0=${mean}[voice]`
  const output = (label: string, path: string) => [
    ...['-map', `[${label}]`, '-c:a', 'pcm_s16le', '-bitexact', fileUrl(path)],
  ]
  return [
    ...[
      '-protocol_whitelist',
      'pipe',
      '-f',
      'f32le',
      '-ar',
      String(rate),
      '-ac',
      String(count),
      '-i',
      'pipe:0',
    ],
    ...['-filter_complex', graph, ...output('voice', voice)],
    ...(keepsMusic ? output('music', music) : []),
  ]
}

/** Returns whether there is music beside the voice. */
async function containsMusic(
  voicePath: string,
  musicPath: string,
  limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<boolean> {
  const detector = new MusicDetector()
  const frames = (path: string) =>
    fixedWindows(decodeVoice(path, limits), { size: MusicDetector.frameSamples })
  const [voices, others] = [frames(voicePath), frames(musicPath)]
  try {
    for (;;) {
      const [voice, music] = await Promise.all([voices.next(), others.next()])
      if (voice.done === true || music.done === true) return detector.finish()
      if (detector.push(voice.value, music.value)) return true
    }
  } finally {
    await Promise.allSettled([voices.return(undefined), others.return(undefined)])
  }
}
