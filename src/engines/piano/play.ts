import { setImmediate as nextTurn } from 'node:timers/promises'
import { MIDIControllers, SpessaSynthProcessor, type BasicSoundBank } from 'spessasynth_core'
import type { Performance } from '../../media/piano/note.ts'

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
