import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFiles } from '../../src/daemon/data-files.ts'
import { installFakeClap } from '../engines/embedding/fake-clap.ts'
import { rights, writeSound } from '../library/library.ts'
import { runCommand } from '../run-command.ts'
import { startAgentSession } from './agent-session.ts'

interface FoundSounds {
  readonly output: { readonly results: readonly { readonly title: string; readonly score: number }[] }
}

test('an agent finds a sound by what is heard, though none of its words say so, and by words without the model', async () => {
  await using session = await startAgentSession()
  await mkdir(session.dataDir, { recursive: true, mode: 0o700 })
  const pack = await installFakeClap(join(session.dataDir, dataFiles.packs))
  const media = join(session.workspace, '..', 'media')
  await mkdir(media)
  await writeSound(join(media, 'take-1.wav'), { title: 'Take one' }, 220)
  await writeSound(join(media, 'take-2.mp3'), { title: 'Take two' }, 4000)
  const environment = { REELWRIGHT_DATA_DIR: session.dataDir }
  expect(await runCommand(['library', 'add', media, ...rights], environment)).toMatchObject({ code: 0 })

  await using agent = await session.connect('modern')
  const search = async (query: string) => {
    const { data, isError } = await agent.call('material_search', { scope: 'audio', query })
    expect(isError).toBe(false)
    return (data as unknown as FoundSounds).output.results
  }
  const [whistle, other] = await search('whistle')
  expect([whistle?.title, other?.title]).toEqual(['Take two', 'Take one'])
  expect(whistle?.score).toBeGreaterThan(0.45)
  expect(other?.score).toBeLessThan(0.45)
  expect((await search('hum'))[0]?.title).toBe('Take one')
  expect(await search('口哨')).toEqual([])

  await rm(pack, { recursive: true })
  expect(await search('whistle')).toEqual([])
  expect((await search('take two'))[0]?.title).toBe('Take two')
})
