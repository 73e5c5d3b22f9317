import type { PedalSpan } from '../../media/piano/note.ts'
import type { TranscribedNote } from '../../media/piano/note-tracker.ts'

/** Notes and pedal found in a recording. */
export interface PianoTranscription {
  /** Sorted by start, then pitch. */
  readonly notes: readonly TranscribedNote[]
  /** Empty if the transcriber does not detect the pedal. */
  readonly pedals: readonly PedalSpan[]
}

/** Options of `transcribe`. */
export interface TranscribePianoOptions {
  readonly signal: AbortSignal
  /** Called with the seconds transcribed so far. */
  readonly onSeconds?: (seconds: number) => void
}

/** Finds the notes of a piano recording. */
export interface PianoTranscriber extends AsyncDisposable {
  /** Name reported in results. */
  readonly name: string
  /** Sample rate of its mono input, Hz. */
  readonly rate: number
  /** Seconds of work per second of sound, on two cores. */
  readonly secondsPerSecond: number
  /** Whether it detects the sustain pedal. */
  readonly pedal: boolean
  /** Transcribes a stream of chunks of any size. Apart from the notes, memory does not grow with its length. */
  transcribe(
    sound: AsyncIterable<Float32Array>,
    listening: TranscribePianoOptions,
  ): Promise<PianoTranscription>
}
