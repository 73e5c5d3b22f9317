import type { PedalSpan } from '../../media/piano/note.ts'
import type { TranscribedNote } from '../../media/piano/note-tracker.ts'

/** What was heard in a recording. */
export interface PianoTranscription {
  /** By start, then pitch. */
  readonly notes: readonly TranscribedNote[]
  /** Empty where the transcriber tells none. */
  readonly pedals: readonly PedalSpan[]
}

/** How a transcriber is called. */
export interface TranscribePianoOptions {
  readonly signal: AbortSignal
  /** Called with the seconds that were heard so far. */
  readonly onSeconds?: (seconds: number) => void
}

/** Finds the notes of a piano recording. */
export interface PianoTranscriber extends AsyncDisposable {
  /** As results name it. */
  readonly name: string
  /** Rate of the sound it hears, Hz, of one channel. */
  readonly rate: number
  /** Seconds of work for a second of sound, on two cores. */
  readonly pace: number
  /** Whether it tells the pedal. */
  readonly pedal: boolean
  /** Hears sound in pieces of any size, in memory that does not grow with its length but for the notes. */
  transcribe(
    sound: AsyncIterable<Float32Array>,
    listening: TranscribePianoOptions,
  ): Promise<PianoTranscription>
}
