import { resample } from '../../src/media/audio/resample.ts'
import { type SpeakerTurn, speechRate } from '../../src/media/speech/speech-types.ts'
import { assemble, type Recording, spokenText, weighWords } from '../recordings/assemble.ts'
import type { Passage } from '../recordings/script.ts'
import { type RecordingLanguage, sentenceTables } from '../recordings/sentences.ts'
import { type Delivery, speak } from '../recordings/speak.ts'

/** Voices of the two speakers: a variant of the voice of the language, and how it speaks. */
const dialogueVoices = [
  { variant: '', speed: 165, pitch: 30 },
  { variant: '+f3', speed: 165, pitch: 75 },
] as const

/** Number of a speaker of a dialogue. */
export type DialogueSpeaker = 0 | 1

/** Returns how a speaker of a dialogue speaks with a voice of espeak-ng. */
export function deliveryOf(speaker: DialogueSpeaker, voice: string): Delivery {
  const { variant, speed, pitch } = dialogueVoices[speaker]
  return { voice: `${voice}${variant}`, speed, pitch }
}

/** Who says each of the sentences of a dialogue. */
const order: readonly DialogueSpeaker[] = [0, 0, 1, 0, 1, 1, 0, 1]

/** A recording in which two people speak in turn: mono, 16 kHz, without what is above 4 kHz. */
export interface Dialogue extends Recording {
  /** A turn per sentence. */
  readonly turns: readonly (SpeakerTurn & { readonly speaker: DialogueSpeaker })[]
  /** A text per sentence, with its punctuation. */
  readonly sentences: readonly string[]
}

export interface DialogueOptions {
  readonly language: RecordingLanguage
  /** Number of sentences, at most 12. Default: 8. */
  readonly sentences?: number
}

/** Dialogues by their options: tests do not change them. */
const dialogues = new Map<string, Promise<Dialogue>>()

/** Returns a dialogue, spoken by espeak-ng, with pauses of 0.5 to 0.95 s between its sentences. */
export function recordDialogue({ language, sentences = 8 }: DialogueOptions): Promise<Dialogue> {
  const key = JSON.stringify([language, sentences])
  const dialogue = dialogues.get(key) ?? speakDialogue({ language, sentences })
  dialogues.set(key, dialogue)
  return dialogue
}

async function speakDialogue({ language, sentences: count }: Required<DialogueOptions>): Promise<Dialogue> {
  const { sentences, space, voice } = sentenceTables[language]
  const speakerOf = (sentence: number) => order[sentence % order.length] ?? 0
  let scriptWord = 0
  const passages = sentences.slice(0, count).map((words, index): Passage => {
    const first = scriptWord
    scriptWord += words.length
    const pause = 0.5 + 0.15 * (index % 4)
    return { kind: 'speech', words, scriptWord: first, attempt: index, breakAfter: '。', pause, sounds: [] }
  })
  const texts = passages.map(({ words }) => words.map(({ text, mark }) => text + mark).join(space))
  const weightsOf = await weighWords(passages, voice)
  const { samples, truth } = await assemble(
    { language, text: texts.join(space), passages },
    {
      clipOf: async (passage) => ({
        samples: await speak(spokenText(passage), deliveryOf(speakerOf(passage.attempt), voice)),
        weights: weightsOf(passage),
      }),
    },
  )
  return {
    // Above 4 kHz there is room for music, which a separator by frequency then separates exactly.
    ...{
      samples: resample({ samples: resample({ samples, rate: speechRate }, 8000), rate: 8000 }, speechRate),
      truth,
    },
    turns: truth.passages.map(({ start, end }, index) => ({ speaker: speakerOf(index), start, end })),
    sentences: texts,
  }
}
