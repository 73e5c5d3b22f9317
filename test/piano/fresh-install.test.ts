import { join } from 'node:path'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { MediaError } from '../../src/contract/errors.ts'
import { requireAll } from '../../src/engines/readiness.ts'
import { openPiano } from '../../src/engines/piano/piano.ts'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { pullPacks } from '../../src/commands/manage-packs.ts'
import * as enhanceNeeds from '../../tools/piano-audio-enhance/requirements.ts'
import { run as runEnhance } from '../../tools/piano-audio-enhance/run.ts'
import * as midiNeeds from '../../tools/piano-audio-to-midi/requirements.ts'
import { run as runToMidi } from '../../tools/piano-audio-to-midi/run.ts'
import { scratchFolder, testdata } from '../engines/ffmpeg/generate-media.ts'
import { sampleCases } from '../soak-size.ts'
import { createTestContext, fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { generatePiece } from './generated-pieces.ts'
import { florestan, record, writeWav } from './recordings.ts'

// A fresh machine: requirements are downloaded on first use, or installed by the command in the error.

const enhance = { ...enhanceNeeds, run: runEnhance }
const toMidi = { ...midiNeeds, run: runToMidi }

const folder = await scratchFolder()
const mirror = testdata('models')

describe.skipIf(mirror === undefined)('with nothing installed (REELWRIGHT_TESTDATA)', () => {
  let path: string

  beforeAll(async () => {
    const sound = await record(generatePiece('alberti', 5), { soundFont: florestan ?? '', seconds: 3 })
    path = await writeWav(join(folder, 'piece.wav'), sound)
  })

  const packsAt = (dataDir: string, automatic: boolean) => ({
    ...{ folder: join(dataDir, 'packs'), automatic, own: {}, manifest },
    ...(mirror !== undefined && { mirror }),
  })

  const run = async (operation: typeof enhance | typeof toMidi, dataDir: string) => {
    await requireAll(operation.requirements())
    const { context, results } = createTestContext(await stageFiles([path]), dataDir)
    const { notes_found } = await operation.run({ file_id: fileIdOf(path) }, context)
    expect(notes_found).toBeGreaterThan(5)
    return results.map(({ name }) => name)
  }

  const operations = [
    [
      'piano_audio_enhance',
      enhance,
      ['piano-transcription', 'piano-soundfont'],
      ['piece-piano.wav', 'piece.mid'],
    ],
    ['piano_audio_to_midi', toMidi, ['piano-transcription'], ['piece.mid']],
  ] as const
  it.each(sampleCases(operations, 1))(
    '%s: the command in the error installs all requirements from a mirror',
    async (name, operation, needs, expectedNames) => {
      const dataDir = join(folder, name)
      const packs = packsAt(dataDir, false)
      configurePacks(packs)
      const missing = await requireAll(operation.requirements()).catch((error: unknown) => error)
      expect(missing).toMatchObject({ code: 6401, retryable: false })
      const [, names = ''] = /^reelwright models pull (.+)$/.exec((missing as MediaError).hint) ?? []
      expect(names.split(' ')).toEqual(needs)
      await pullPacks({ packs, dataDir, io: process }, names.split(' '))
      expect(await run(operation, dataDir)).toEqual(expectedNames)
    },
  )

  it('downloads packs on first use if allowed', async () => {
    const dataDir = join(folder, 'automatic')
    configurePacks(packsAt(dataDir, true))
    expect(await run(enhance, dataDir)).toEqual(['piece-piano.wav', 'piece.mid'])
  })
})

test('where neither piano can be downloaded, the error names the one that readiness names', async () => {
  // A label of 64 characters is invalid, so that no name server is asked.
  const unreachable = `https://${'x'.repeat(64)}.example/`
  configurePacks({ folder: join(folder, 'none'), automatic: true, own: {}, manifest, mirror: unreachable })
  await expect(openPiano(new AbortController().signal)).rejects.toMatchObject({
    code: 6401,
    hint: expect.stringContaining('models pull piano-samples'),
  })
})
