import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hearRecording } from '../../src/engines/cutting/hear-recording.ts'
import { configureServices } from '../../src/engines/services/configured.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { hasSpeechFiles, neverAborted, useSpeechPacks } from '../engines/speech/recordings.ts'
import { assemble } from '../recordings/assemble.ts'
import { writeRecording } from '../recordings/frame-marks.ts'
import { type SpokenScript, writeScript } from '../recordings/script.ts'
import { canSpeak } from '../recordings/speak.ts'
import { startStandInRecogniser } from '../recordings/stand-in-recogniser.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'

/** A script with a restart before each of its sentences, after pauses that do not divide the recognition. */
function restartEverything(): SpokenScript {
  const script = writeScript({ language: 'en-US', seed: 8, sentences: 6, mistakes: false })
  const isFirst = new Set<number>()
  let previous: string | undefined = '.'
  for (const [index, { words }] of script.passages.entries()) {
    if (/[.!?]$/u.test(previous ?? '')) isFirst.add(index)
    previous = words.at(-1)?.mark
  }
  const passages = script.passages.flatMap((passage, index) =>
    isFirst.has(index)
      ? [
          {
            ...passage,
            ...{ kind: 'restart' as const, words: passage.words.slice(0, 2), attempt: 1 },
            ...{ breakAfter: null, pause: 0.17 + 0.02 * (index % 5) },
          },
          passage,
        ]
      : [passage],
  )
  return { ...script, passages }
}

describe.skipIf(!canSpeak || !hasSpeechFiles)('repetitions that the recogniser swallows', () => {
  it('are heard again, and not repeated by another attempt', async () => {
    const folder = await scratchFolder()
    useSpeechPacks(folder)
    const recording = await assemble(restartEverything())
    const path = await writeRecording(folder, recording, { rate: { num: 25, den: 1 } })
    await using server = await startStandInRecogniser(recording, { swallowed: 1, jitter: 0.08 })
    configureServices({ transcription: { address: `${server.origin}/v1`, model: 'stand-in' } })
    const file = (await stageFiles([path])).get(fileIdOf(path))
    const hear = async () =>
      await hearRecording(
        file,
        { la: 'en-US' },
        { signal: neverAborted, steps: folder, progress: () => undefined },
      )
    try {
      const { transcript } = await hear()
      expect(server.swallowed.size).toBeGreaterThan(4)
      const found = [...server.swallowed].filter((index) => {
        const passage = recording.truth.passages[index]
        const inside = transcript.words.filter(
          ({ start, end }) =>
            (start + end) / 2 > (passage?.start ?? 0) && (start + end) / 2 < (passage?.end ?? 0),
        )
        return inside.length === 2
      })
      expect(found.length).toBeGreaterThanOrEqual(0.9 * server.swallowed.size)
      const requests = server.heard.length
      expect((await hear()).transcript).toEqual(transcript)
      expect(server.heard.length).toBe(requests)
      // As if the process had ended while it wrote the last result.
      const stores = ['heard', 'repeated'].map((kind) =>
        join(folder, `${kind}-${fileName(transcriptName(server.origin))}`),
      )
      const [, repeated = ''] = stores
      const text = await readFile(repeated, 'utf8')
      await writeFile(repeated, text.slice(0, -20))
      expect((await hear()).transcript).toEqual(transcript)
      expect(server.heard.length).toBe(requests + 1)
      expect((await hear()).transcript).toEqual(transcript)
      expect(server.heard.length).toBe(requests + 1)
    } finally {
      configureServices({})
    }
  })
})

function transcriptName(origin: string): string {
  return `stand-in at ${new URL(origin).host}`
}

function fileName(name: string): string {
  return `${name.replaceAll(/[^\w.-]/g, '_')}.jsonl`
}
