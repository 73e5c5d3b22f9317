import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fillLibrary } from '../material-search/filled-library.ts'
import { startAgentSession } from './agent-session.ts'
import { promptCalls } from './call-until-done.ts'

interface FoundMaterials {
  readonly output: {
    readonly results: readonly { readonly id: number; readonly note: string }[]
  }
}

test('an agent finds material as the prompt does, and saves it by its id, also in another session', async () => {
  await using session = await startAgentSession()
  const library = await fillLibrary(session.dataDir, `${session.workspace}/../media`)
  await using agent = await session.connect('modern')
  const [search, download] = await promptCalls(agent, 'find-material', { wanted: 'waves' })
  if (!search || !download) throw new Error('the prompt has no calls')
  const { data, isError } = await agent.call(search[0], search[1])
  expect(isError).toBe(false)
  const [found] = (data as unknown as FoundMaterials).output.results
  expect(found?.note).toContain('Example Films')
  expect(data['next_step']).toMatch(/download_file and material_id.* inspect_file/)
  // Links are for callers over HTTP: an agent has no address to complete them with.
  expect(JSON.stringify(data)).not.toContain('_url')

  const saved = await agent.call(download[0], { ...download[1], material_id: found?.id })
  expect(saved.data).toMatchObject({ material_id: found?.id, bytes: expect.any(Number) as number })
  expect(await readFile(String(saved.data['path']))).toEqual(await readFile(library.media('waves.mp4')))

  await using other = await session.connect('legacy')
  const again = await other.call('download_file', { material_id: found?.id, save_to: 'again/sea.mp4' })
  expect(String(again.data['path'])).toMatch(/again[/\\]sea\.mp4$/)
  for (const [args, message] of [
    [{ material_id: 999_999 }, /6004/],
    [{ material_id: found?.id, file_id: '1' }, /both given/],
    [{}, /required: file_id or material_id/],
  ] as const) {
    const refused = await agent.call('download_file', args)
    expect([refused.isError, refused.text]).toEqual([true, expect.stringMatching(message)])
  }
})
