import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { api, pollUntil } from '../service/api.ts'
import { temporaryDataFolder, startKillableService } from '../service/killable-service.ts'
import { generatePiece } from './generated-pieces.ts'
import { florestan, record, writeWav } from './recordings.ts'

const type = 'piano_audio_enhance'
const mirror = testdata('models')

test.skipIf(mirror === undefined)(
  'resumes after a kill without transcribing again (REELWRIGHT_TESTDATA)',
  async () => {
    const dataDir = await temporaryDataFolder()
    const packs = { folder: join(dataDir, 'packs'), automatic: true, ...(mirror !== undefined && { mirror }) }
    const firstService = await startKillableService(dataDir, { packs })
    const sound = await record(generatePiece('voices', 8), { soundFont: florestan ?? '' })
    const path = await writeWav(join(dataDir, 'piece.wav'), sound)
    const { file_id } = (await api(firstService).upload('piece.wav', new Uint8Array(await readFile(path))))
      .data
    const before = await api(firstService).balance()
    const { data: task } = await api(firstService).create(type, { file_id })
    const steps = join(dataDir, 'steps', task.task_id)
    const storedTranscription = async () =>
      (await readdir(steps).catch(() => [])).filter((name) => /^transcription-.*\.json$/.test(name))
    const [stored = ''] = await pollUntil(storedTranscription, (names) => names.length > 0)
    await firstService.kill('SIGKILL')

    // A second transcription would find more notes.
    const { notes, ...rest } = JSON.parse(await readFile(join(steps, stored), 'utf8')) as { notes: unknown[] }
    expect(notes.length).toBeGreaterThan(20)
    await writeFile(join(steps, stored), JSON.stringify({ ...rest, notes: notes.slice(0, 5) }))
    const next = await startKillableService(dataDir, { packs })
    const { data } = await api(next).ended(type, task.task_id)
    expect(data).toMatchObject({ status: 'completed', output_result: { notes_found: 5 } })
    expect(await api(next).balance()).toBe(before - 1)
    await pollUntil(
      () => readdir(join(dataDir, 'steps')),
      (names) => names.length === 0,
    )
  },
)
