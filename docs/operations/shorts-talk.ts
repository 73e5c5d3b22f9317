import { join } from 'node:path'
import { applyTextStyle, loadDrawing, type Pen } from '../../src/engines/canvas/drawing.ts'
import { runRaw } from '../../src/engines/ffmpeg/run.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { type ModelServer, startModelServer } from '../../test/engines/language-model/model-server.ts'
import type { FakeService } from '../../test/engines/services/fake-service.ts'
import { useSpeechPacks } from '../../test/engines/speech/recordings.ts'
import { assemble } from '../../test/recordings/assemble.ts'
import { readAloud } from '../../test/recordings/read-aloud.ts'
import { startStandInRecogniser } from '../../test/recordings/stand-in-recogniser.ts'
import { filmSpeaker } from '../../test/recordings/talking-head.ts'
import { talkText } from '../../test/video-long2short/run-shorts.ts'

// The filmed talk that the pictures of short clips show, and how they draw frames and texts.

/** A talk with the speaker beside the middle of the picture, and the services that hear and understand it. */
export interface FilmedTalk extends AsyncDisposable {
  readonly path: string
}

/** Films the talk in a folder and configures its services. `says`: answers of the language model. */
export async function filmTalk(folder: string, says: ModelServer['says']): Promise<FilmedTalk> {
  useSpeechPacks(folder)
  const recording = await assemble(readAloud(talkText, { pause: 0.9 }))
  const path = await filmSpeaker(folder, recording, {
    ...{ name: 'podcast', rate: { num: 25, den: 1 }, height: 480 },
    output: ['-vf', 'pad=854:480:120:0:0x2b3440'],
  })
  const [recogniser, model]: [FakeService, ModelServer] = [
    await startStandInRecogniser(recording, {}),
    await startModelServer(says),
  ]
  configureServices({
    transcription: { address: `${recogniser.origin}/v1`, model: 'stand-in' },
    language_model: { address: `${model.origin}/v1`, model: 'small', context_tokens: 8192 },
  })
  return {
    path,
    async [Symbol.asyncDispose]() {
      await recogniser[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
    },
  }
}

/** Returns the frame of a video at a time in seconds, which is written to a folder. */
export async function frameAt(path: string, seconds: number, folder: string) {
  const png = join(folder, 'frame.png')
  await runRaw({
    args: ['-y', '-ss', seconds.toFixed(3), '-i', path, '-frames:v', '1', png],
    timeoutMs: 60_000,
  })
  const { loadImage } = await loadDrawing()
  return await loadImage(png)
}

/** Colours of texts: headings, and remarks. */
export const [ink, faint] = ['#1f2328', '#656d76']

interface TextPlace {
  readonly x: number
  readonly y: number
  readonly colour: string
  /** Longer texts are condensed. */
  readonly width?: number
}

export function write(pen: Pen, text: string, { x, y, colour, width }: TextPlace): void {
  applyTextStyle(pen, { size: 14, weight: colour === ink ? 600 : 400 })
  pen.fillStyle = colour
  pen.fillText(text, x, y, width)
}
