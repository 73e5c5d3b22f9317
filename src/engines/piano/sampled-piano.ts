import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BasicInstrument,
  BasicPreset,
  BasicSample,
  BasicSoundBank,
  GeneratorTypes,
  SampleTypes,
  SpessaLog,
} from 'spessasynth_core'
import { lowestKey } from '../../media/piano/note.ts'

/** Recorded loudnesses, softest first, by their numbers of 16, and the highest velocity each plays. */
export const velocityLayers = [
  { number: 4, upTo: 50 },
  { number: 10, upTo: 90 },
  { number: 14, upTo: 127 },
] as const

/** Every third key was recorded, from A0 on. */
const recordedKeys = Array.from({ length: 30 }, (_, index) => lowestKey + 3 * index)
const letters = ['C', 'D#', 'F#', 'A']

const sampleRate = 48_000

/** Seconds of quiet before the hammer strikes in each recording. */
const leadInSeconds = 0.009

/** Dampers end on F#6 (90); a key above sounds on when it is left. Seconds until a sound has died away. */
const release = { highestDamped: 90, damped: 0.4, undamped: 4 } as const

/** A bank of one grand piano out of the packages of samples in a folder's `node_modules`. */
export async function loadSampledPiano(folder: string): Promise<BasicSoundBank> {
  await BasicSoundBank.isSF3DecoderReady
  // It says of each recording that only its left side is played.
  SpessaLog.setLogLevel(false, false, false)
  const bank = new BasicSoundBank()
  const instrument = new BasicInstrument()
  let from = 0
  for (const { number, upTo } of velocityLayers) {
    const audio = join(folder, 'node_modules', samplePackage(number), 'audio')
    for (const key of recordedKeys) {
      const name = `${letters[(key % 12) / 3] ?? ''}${Math.floor(key / 12) - 1}v${number}`
      const sample = new BasicSample(name, sampleRate, key, 0, SampleTypes.monoSample, 0, 0)
      sample.setCompressedData(new Uint8Array(await readFile(join(audio, `${name}.ogg`))))
      const zone = instrument.createZone(sample)
      zone.keyRange = { min: key - 1, max: key + 1 }
      zone.velRange = { min: from, max: upTo }
      zone.setGenerator(GeneratorTypes.startAddrsOffset, Math.round(leadInSeconds * sampleRate))
      const seconds = key > release.highestDamped ? release.undamped : release.damped
      zone.setGenerator(GeneratorTypes.releaseVolEnv, Math.round(1200 * Math.log2(seconds)))
      bank.addSamples(sample)
    }
    from = upTo + 1
  }
  const preset = new BasicPreset(bank)
  preset.createZone(instrument)
  bank.addInstruments(instrument)
  bank.addPresets(preset)
  return bank
}

/** The package of a recorded loudness. */
export function samplePackage(number: number): string {
  return `@audio-samples/piano-velocity${number}`
}
