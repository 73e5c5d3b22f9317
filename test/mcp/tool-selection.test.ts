import { execFile } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { mainModule, runCommand } from '../run-command.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { eras, startInProcessAgent } from './stdio-client.ts'

const narrow = { toolsets: ['clean'], tools: ['inspect_file'] } as const

describe.each(eras)('selected tools, %s client', (era) => {
  test('lists only the selected tools, and rejects calls of the others with the setting to change', async () => {
    await using agent = await startInProcessAgent(era, {}, { tools: narrow, allowUrls: true })
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'inspect_file',
      'get_task',
      'answer_questions',
      'list_tasks',
      'cancel_task',
      'service_status',
    ])
    expect((await agent.call('video_split_screen', { clips: [] })).text).toMatch(
      /^6016: video_split_screen is disabled: this server offers only the toolset clean, inspect_file\. Fix: Add render to --toolsets .* Retryable: no$/,
    )
    expect(agent.client.getInstructions()).toContain('https URLs')
    const status = await agent.call('service_status')
    expect(status.data).toMatchObject({ https_addresses_taken: true })
    const inside = await agent.call('inspect_file', { file: 'https://169.254.169.254/a.mp4' })
    expect(inside.text, 'URLs are accepted').toMatch(/^6016: .* is not a public https URL/)
    const plain = await agent.call('inspect_file', { file: 'http://example.com/a.mp4' })
    expect(plain.text).toMatch(/^6016: .* is a remote URL/)
    await expect(agent.client.callTool({ name: 'video_dance' })).rejects.toThrow('no tool video_dance')
  })
})

test('a read-only server rejects tools that change something, and asks once for a restart', async () => {
  await using agent = await startInProcessAgent('modern', {}, { tools: { readOnly: true } })
  const { text } = await agent.call('cancel_task', { task_id: '1' })
  expect(text).toMatch(/this server is read-only\. Fix: Remove --read-only \(.*\), and restart the server\./)
  expect(text.match(/start/gi)).toHaveLength(1)
})

test.each<[string[], RegExp]>([
  [['--toolsets', 'render,dance'], /--toolsets: .*one of render, clean, speech, cut, library, files/],
  [['--tools', 'get_task, video_dance'], /no tool video_dance\nFix: .*Available: .*video_split_screen, /],
])('reelwright mcp %j exits with the reason', async (args, expected) => {
  await using folder = await temporaryFolder()
  const { code, err } = await runCommand(['mcp', '--data-dir', folder.path, ...args])
  expect([code, err]).toEqual([1, expect.stringMatching(expected)])
})

test('settings of the command line and of the environment are applied', async () => {
  const env = { REELWRIGHT_TOOLS: 'inspect_file', REELWRIGHT_CONFIRM_ABOVE_CREDITS: '0' }
  await using folder = await temporaryFolder()
  const args = ['mcp', '--data-dir', folder.path, '--toolsets', ' render, clean ', '--read-only']
  const ended = new Promise((resolve) => {
    const child = execFile(process.execPath, [mainModule, ...args], { env }, (error, _out, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
    child.stdin?.end()
  })
  expect(await ended).toEqual({ code: 0, stderr: '' })
})
