import { expect, test } from 'vitest'
import { manifest } from '../../../src/engines/packs/manifest.ts'
import { setPacks } from '../../../src/engines/packs/use.ts'
import { openModel } from '../../../src/engines/piano/basic-pitch.ts'
import { scratchFolder } from '../../mcp/scratch.ts'
import { startMirror } from '../../packs/mirror.ts'
import { model, modelPack, packsIn } from '../../packs/stand-in.ts'

test('a model that does not load is told to everyone who asks, and its threads end', async () => {
  await using scratch = await scratchFolder()
  await using mirror = await startMirror({ 'eyes.onnx': model })
  const known = { 'onnx-runtime': manifest['onnx-runtime'], 'piano-transcription': modelPack() }
  setPacks(packsIn(scratch.path, known, { mirror: mirror.address }))
  await using threads = await openModel(2, new AbortController().signal)
  const asked = await Promise.allSettled(
    Array.from({ length: 5 }, () => threads.ask(new Float32Array(43_844), [])),
  )
  for (const one of asked) {
    expect(one).toMatchObject({
      status: 'rejected',
      reason: { code: 6401, retryable: false, message: 'piano transcription does not run on this machine' },
    })
  }
})
