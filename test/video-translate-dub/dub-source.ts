import { mkdir, writeFile, copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import { resolvePack } from '../../src/engines/packs/resolve.ts'
import { resample } from '../../src/media/audio/resample.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { speakerEmbedding, stem, writeFakePack } from '../engines/speech/fake-speech-models.ts'
import { useSpeechPacks } from '../engines/speech/recordings.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import type { Dialogue } from './dialogue.ts'

/** Sample rate of the sources, Hz. */
export const sourceRate = 48_000

/** A source to dub, and the stems of which its sound is the sum: samples at 48 kHz. */
export interface DubSource {
  readonly path: string
  /** In both channels. */
  readonly voice: Float32Array
  /** Stereo, interleaved; null without music. */
  readonly music: Float32Array | null
}

export interface DubSourceOptions {
  /** RMS level of the music; 0 for none. Default: 0.02. */
  readonly music?: number
  /** Name without extension. Default: `source`. */
  readonly name?: string
  /** Default: a video of 25 frames per second with the number of each frame in its picture. */
  readonly kind?: 'video' | 'audio'
  /** Codec of the sound of a video. Default: AAC, whose encoder takes ten times as long. */
  readonly codec?: 'alac'
}

/**
 * Writes a dialogue with music as a file. The voice is below 4 kHz and the music above 5 kHz, so that a separator by
 * frequency returns exactly these stems.
 */
export async function writeDubSource(
  folder: string,
  dialogue: Dialogue,
  { music: level = 0.02, name = 'source', kind = 'video', codec }: DubSourceOptions = {},
): Promise<DubSource> {
  const voice = resample({ samples: dialogue.samples, rate: speechRate }, sourceRate)
  const music = level > 0 ? highMusic(voice.length, level) : null
  const mix = new Float32Array(2 * voice.length)
  for (let at = 0; at < mix.length; at += 1) mix[at] = (voice[at >> 1] ?? 0) + (music?.[at] ?? 0)
  const raw = join(folder, `${name}.f32`)
  await writeFile(raw, new Uint8Array(mix.buffer))
  const sound = ['-f', 'f32le', '-ac', '2', '-ar', String(sourceRate), '-i', raw]
  const path = join(folder, `${name}.${kind === 'video' ? 'mp4' : 'wav'}`)
  if (kind === 'audio') await runRaw({ args: [...sound, path], timeoutMs: 60_000 })
  else {
    const marked = await writeRecording(folder, dialogue, {
      name: `${name}-marked`,
      rate: { num: 25, den: 1 },
    })
    const audio = codec ? ['-c:a', codec] : ['-c:a', 'aac', '-b:a', '320k']
    const encoding = ['-map', '0:v', '-map', '1:a', '-c:v', 'copy', ...audio]
    await runRaw({ args: ['-i', marked, ...sound, ...encoding, path], timeoutMs: 60_000 })
  }
  return { path, voice, music }
}

/** Tones of the chords, Hz. */
const chords = [
  [5000, 6300, 7500],
  [5600, 6700, 8000],
  [5300, 6000, 7100],
] as const

/** Tones of the music in the half second from a time on, Hz. */
export function musicTones(seconds: number): readonly number[] {
  return chords[Math.floor(2 * seconds) % chords.length] ?? []
}

/** Chords above the voice, a new one each half second, with other phases in the right channel: stereo, interleaved. */
function highMusic(frames: number, level: number): Float32Array {
  // The mean power of three tones of amplitude 1 is 3/2, of the fade about 0.43.
  const gain = level / Math.sqrt(1.5 * 0.43)
  // Each chord begins with the same phases again: their tones are multiples of 100 Hz.
  const period = Float32Array.from({ length: chords.length * sourceRate }, (_, at) => {
    const time = (at >> 1) / sourceRate
    const tones = musicTones(time)
    const beat = 2 * (time % 0.5)
    const fade = Math.min(1, 50 * beat, 50 * (1 - beat)) * Math.exp(-beat)
    return (
      gain * fade * tones.reduce((sum, hertz) => sum + Math.sin(2 * Math.PI * hertz * time + (at % 2)), 0)
    )
  })
  const music = new Float32Array(2 * frames)
  for (let at = 0; at < music.length; at += period.length)
    music.set(period.subarray(0, music.length - at), at)
  return music
}

/** Bin of the separator between voice and music, 4.4 kHz: its bins are 44100 / 4096 Hz wide. */
const firstMusicBin = 409

/** Optional models of the stage. */
type StagePack = 'speaker-embedding' | 'voice-separation'

/**
 * Configures the packs of this process: the public models of speech, and of the optional ones stand-ins that separate by
 * frequency and compare spectra. The public model distinguishes the speakers.
 */
export async function useDubPacks(
  folder: string,
  packs: readonly StagePack[] = ['speaker-embedding', 'voice-separation'],
): Promise<void> {
  const [mirror, models] = [join(folder, 'mirror'), testdata('models') ?? '']
  await mkdir(mirror, { recursive: true })
  for (const file of ['silero-vad.onnx', 'pyannote-segmentation-3.int8.onnx', 'gtcrn-sherpa.onnx'])
    await copyFile(join(models, file), join(mirror, file))
  const files = {
    'speaker-embedding': { 'speaker.onnx': speakerEmbedding },
    'voice-separation': {
      'vocals.fp16.onnx': stem(0, firstMusicBin),
      'accompaniment.fp16.onnx': stem(firstMusicBin, 1024),
    },
  } as const
  const written = await Promise.all(packs.map((pack) => writeFakePack(mirror, pack, files[pack])))
  useSpeechPacks(folder, Object.assign({}, ...written), mirror)
  for (const pack of packs) await resolvePack(pack)
}
