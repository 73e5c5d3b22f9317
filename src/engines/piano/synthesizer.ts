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

/** Velocity layers used, softest first: number of the layer (of 16), and the highest velocity it plays. */
export const velocityLayers = [
  { number: 4, upTo: 50 },
  { number: 10, upTo: 90 },
  { number: 14, upTo: 127 },
] as const

/** MIDI numbers of the recorded keys: every third one from A0 on. */
const recordedKeys = Array.from({ length: 30 }, (_, index) => lowestKey + 3 * index)
const letters = ['C', 'D#', 'F#', 'A']

const sampleRate = 48_000

/** Silence before the hammer strike in each recording, seconds. */
const leadInSeconds = 0.009

/** The highest damped key is F#6 (90); keys above ring on after their release. Release times in seconds. */
const release = { highestDamped: 90, damped: 0.4, undamped: 4 } as const

/** Builds a sound bank of one grand piano from the sample packages in `node_modules` of a folder. */
export async function loadSampledPiano(folder: string): Promise<BasicSoundBank> {
  await BasicSoundBank.isSF3DecoderReady
  // It would warn for each recording that only the left channel is played.
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

/** npm package of a velocity layer. */
export function samplePackage(number: number): string {
  return `@audio-samples/piano-velocity${number}`
}

/** A synthesizer command at a sample. */
interface SynthEvent {
  readonly at: number
  /** Order of commands of one sample: notes end, the pedal moves, notes begin. */
  readonly order: number
  readonly run: (synth: SpessaSynthProcessor) => void
}

/** Samples rendered per call. */
const renderBlock = 2048

interface PlayPerformanceOptions {
  /** Hz. */
  readonly rate: number
  readonly samples: number
  /** General MIDI program, from 0; defaults to the acoustic grand piano. */
  readonly program?: number
}

/**
 * Renders a performance with a sound bank, from time 0 on. Yields chunks of interleaved stereo, `samples` frames in all.
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
  let [next, yieldedAt] = [0, 0]
  for (let at = 0; at < samples;) {
    while ((events[next]?.at ?? Infinity) <= at) events[next++]?.run(synth)
    const count = Math.min(renderBlock, samples - at, (events[next]?.at ?? Infinity) - at)
    left.fill(0)
    right.fill(0)
    synth.process(left, right, 0, count)
    const interleaved = new Float32Array(2 * count)
    for (let index = 0; index < count; index += 1) {
      interleaved[2 * index] = left[index] ?? 0
      interleaved[2 * index + 1] = right[index] ?? 0
    }
    yield interleaved
    at += count
    // Rendering never awaits: yield to the event loop now and then, so that an abort is noticed.
    if (at - yieldedAt < rate) continue
    yieldedAt = at
    await nextTurn()
  }
}

function synthEvents({ notes, pedals }: Performance, rate: number): SynthEvent[] {
  const at = (seconds: number) => Math.round(seconds * rate)
  const sustain = (value: number) => (synth: SpessaSynthProcessor) =>
    synth.controllerChange(0, MIDIControllers.sustainPedal, value)
  return [
    ...notes.flatMap(({ pitch, start, end, velocity }) => [
      { at: at(start), order: 3, run: (synth: SpessaSynthProcessor) => synth.noteOn(0, pitch, velocity) },
      {
        at: Math.max(at(start) + 1, at(end)),
        order: 0,
        run: (synth: SpessaSynthProcessor) => synth.noteOff(0, pitch),
      },
    ]),
    ...pedals.flatMap(({ start, end }) => [
      { at: at(start), order: 2, run: sustain(127) },
      { at: at(end), order: 1, run: sustain(0) },
    ]),
  ].toSorted((one, other) => one.at - other.at || one.order - other.order)
}
