import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createClips, eras, startInProcessAgent, type Agent } from './stdio-client.ts'

describe.each(eras)('completions for a %s client', (era) => {
  const valuesOf = async (agent: Agent, ref: object, [name, value]: readonly [string, string]) => {
    const params = { ref, argument: { name, value } } as Parameters<Agent['client']['complete']>[0]
    return (await agent.client.complete(params)).completion.values
  }
  const resource = (uri: string) => ({ type: 'ref/resource', uri })
  const prompt = { type: 'ref/prompt', name: 'make-split-screen' }

  test('ids, names and enumerated values of every template are completed', async () => {
    await using agent = await startInProcessAgent(era)
    agent.service.onCreate = () => undefined
    const input = { ...(await createClips(agent)), wait_seconds: 0 }
    const { data } = await agent.call('video_split_screen', input)
    const other = await agent.call('video_split_screen', { ...input, force_new: true })
    const ids = [other.data['task_id'], data['task_id']].map(String)
    const tasks = resource('media://tasks/{task_id}')
    expect(await valuesOf(agent, tasks, ['task_id', ''])).toEqual(ids)
    expect(await valuesOf(agent, tasks, ['task_id', ids[0] ?? ''])).toEqual([ids[0]])
    const files = resource('media://files/{file_id}')
    expect((await valuesOf(agent, files, ['file_id', ''])).toSorted()).toEqual(
      [...agent.service.files.keys()].toSorted(),
    )
    const named = resource('media://operations/{name}')
    expect(await valuesOf(agent, named, ['name', 'VIDEO'])).toEqual(['video_split_screen'])
    expect(await valuesOf(agent, named, ['name', 'x'])).toEqual([])
    const layouts = resource('media://layouts{?slot_count,ratio,page,page_size}')
    expect(await valuesOf(agent, layouts, ['slot_count', '1'])).toEqual([
      '10',
      '11',
      '12',
      '13',
      '14',
      '15',
      '16',
    ])
    expect(await valuesOf(agent, layouts, ['ratio', ''])).toEqual(['9:16', '16:9', '1:1'])
    expect(await valuesOf(agent, layouts, ['page', ''])).toEqual([])
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(await valuesOf(agent, layouts, [name, ''])).toEqual([])
      await expect(valuesOf(agent, resource(name), ['x', ''])).rejects.toThrow('no resource template')
    }
  })

  test('prompt arguments are completed with workspace files, in comma-separated lists, and with enumerated words', async () => {
    await using agent = await startInProcessAgent(era)
    await createClips(agent)
    await writeFile(join(agent.workspace, 'notes.txt'), 'no video')
    await writeFile(join(agent.workspace, '.hidden.mp4'), 'hidden')
    await mkdir(join(agent.workspace, 'folder.mp4'))
    expect(await valuesOf(agent, prompt, ['clips', ''])).toEqual(['left.mp4', 'right.mp4'])
    expect(await valuesOf(agent, prompt, ['clips', 'left.mp4, r'])).toEqual(['left.mp4, right.mp4'])
    expect(await valuesOf(agent, prompt, ['sound', 'all'])).toEqual(['all mixed'])
    expect(await valuesOf(agent, prompt, ['goal', ''])).toEqual([])
    await expect(valuesOf(agent, { ...prompt, name: 'x' }, ['clips', ''])).rejects.toThrow('no prompt x')
  })
})
