import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  BasicInstrument,
  BasicPreset,
  BasicSample,
  BasicSoundBank,
  GeneratorTypes,
  MIDIControllers,
  SampleTypes,
  SpessaLog,
  SpessaSynthProcessor,
} from 'spessasynth_core'
import { lowestKey, type Performance } from '../../media/piano/note.ts'

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

/** A thing to do at a sample. */
interface SynthEvent {
  readonly at: number
  /** Of one moment: notes end, then the pedal moves, then notes begin. */
  readonly turn: number
  readonly act: (synth: SpessaSynthProcessor) => void
}

/** Samples rendered at once. */
const renderBlock = 2048

interface PlayPerformanceOptions {
  /** Hz. */
  readonly rate: number
  readonly samples: number
  /** Of General MIDI, counted from 0; left out, the grand piano. */
  readonly program?: number
}

/**
 * Plays a performance on a piano of a SoundFont: left and right in turn, in pieces, from its time 0 on, as many samples
 * as asked.
 */
export async function* playPerformance(
  bank: BasicSoundBank,
  performance: Performance,
  { rate, samples, program = 0 }: PlayPerformanceOptions,
): AsyncGenerator<Float32Array> {
  const synth = new SpessaSynthProcessor(rate, { maxBufferSize: renderBlock, eventsEnabled: false })
  await synth.processorInitialized
  synth.soundBankManager.addSoundBank(bank, 'piano')
  synth.programChange(0, program)
  const left = new Float32Array(renderBlock)
  const right = new Float32Array(renderBlock)
  const events = synthEvents(performance, rate)
  let [next, rested] = [0, 0]
  for (let at = 0; at < samples;) {
    while ((events[next]?.at ?? Infinity) <= at) events[next++]?.act(synth)
    const count = Math.min(renderBlock, samples - at, (events[next]?.at ?? Infinity) - at)
    left.fill(0)
    right.fill(0)
    synth.process(left, right, 0, count)
    const both = new Float32Array(2 * count)
    for (let index = 0; index < count; index += 1) {
      both[2 * index] = left[index] ?? 0
      both[2 * index + 1] = right[index] ?? 0
    }
    yield both
    at += count
    // To play waits for nothing: now and then others are heard, such as who wants it to end.
    if (at - rested < rate) continue
    rested = at
    await nextTurn()
  }
}

function synthEvents({ notes, pedals }: Performance, rate: number): SynthEvent[] {
  const at = (seconds: number) => Math.round(seconds * rate)
  const sustain = (value: number) => (synth: SpessaSynthProcessor) =>
    synth.controllerChange(0, MIDIControllers.sustainPedal, value)
  return [
    ...notes.flatMap(({ pitch, start, end, velocity }) => [
      { at: at(start), turn: 3, act: (synth: SpessaSynthProcessor) => synth.noteOn(0, pitch, velocity) },
      {
        at: Math.max(at(start) + 1, at(end)),
        turn: 0,
        act: (synth: SpessaSynthProcessor) => synth.noteOff(0, pitch),
      },
    ]),
    ...pedals.flatMap(({ start, end }) => [
      { at: at(start), turn: 2, act: sustain(127) },
      { at: at(end), turn: 1, act: sustain(0) },
    ]),
  ].toSorted((one, other) => one.at - other.at || one.turn - other.turn)
}
