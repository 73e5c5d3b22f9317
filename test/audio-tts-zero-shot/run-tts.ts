import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { audioTtsZeroShot } from '../../tools/audio-tts-zero-shot/contract.ts'
import { plan } from '../../tools/audio-tts-zero-shot/plan.ts'
import { run } from '../../tools/audio-tts-zero-shot/run.ts'
import { speechRate } from '../../src/media/speech/speech-types.ts'
import { voiceOf, writeSound } from '../engines/speech/recordings.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

let runs = 0

/** Writes the end of a recording of President Kennedy, a single span of speech: a reference that is analysed quickly. */
export async function shortReference(folder: string): Promise<string> {
  const sound = await voiceOf('kennedy')
  return await writeSound(join(folder, 'kennedy.wav'), sound.subarray(5.3 * speechRate))
}

/** Runs the operation as a worker does. Throws its error. */
export async function runTextToSpeech(folder: string, reference: string, request: Record<string, unknown>) {
  const files = await stageFiles([reference])
  const input = audioTtsZeroShot.input.parse({
    ref_file_id: fileIdOf(reference),
    text_lang: 'en-US',
    ...request,
  })
  plan(input, files)
  runs += 1
  const scratch = join(folder, `run-${runs}`)
  await mkdir(scratch, { recursive: true })
  const { context, results, progress } = createTestContext(files, scratch)
  const output = audioTtsZeroShot.output.parse(await run(input, context))
  return { output, results, progress, path: results[0]?.path ?? '', srt: results[1]?.path }
}
