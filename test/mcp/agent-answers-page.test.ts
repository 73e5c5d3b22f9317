import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startAgentSession } from './agent-session.ts'

// The recorded translation of docs/agent-answers.md, repeated call by call.

interface Block {
  readonly kind: string
  readonly text: string
}

async function readBlocks(): Promise<Block[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/agent-answers.md'), 'utf8')
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)\n```$/gm)].map(([, kind = '', text = '']) => ({
    kind,
    text,
  }))
}

test('each call returns what the page shows', async () => {
  const [source, ...blocks] = await readBlocks()
  await using session = await startAgentSession()
  await writeFile(join(session.workspace, 'interview.srt'), `${source?.text}\n`)
  await using agent = await session.connect('modern')
  const recordedId = /task_id (\d+)/.exec(blocks.map(({ text }) => text).join('\n'))?.[1] ?? ''
  let [taskId, calls] = ['', 0]
  /** The names that the page has for this task and this workspace. */
  const toRecorded = (text: string) =>
    text
      .replaceAll(session.workspace, '/home/ana/film')
      .replaceAll(taskId.slice(-8), recordedId.slice(-8))
      .replaceAll(taskId.slice(0, -8), recordedId.slice(0, -8))
  let shown: string[] = []
  let asked: unknown
  for (const { kind, text } of blocks) {
    if (kind === 'call') {
      const [, name = '', args = ''] = /^(\w+) ([\s\S]*)$/.exec(text) ?? []
      const reply = await agent.call(
        name,
        JSON.parse(args.replaceAll(recordedId, taskId)) as Record<string, unknown>,
      )
      taskId = String(reply.data['task_id'])
      shown = toRecorded(reply.text).split('\nQuestions: ')
      asked = reply.data['questions']
      calls += 1
    } else if (kind === 'text') expect(shown[0]).toBe(text)
    else expect(asked).toEqual(JSON.parse(text))
  }
  expect(calls).toBe(3)
})
