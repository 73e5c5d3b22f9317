import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'
import { createClips, eras, startInProcessAgent } from './stdio-client.ts'

describe.each(eras)('arguments of a %s client', (era) => {
  test('bad input is a clear error, and nothing reaches the service', async () => {
    await using agent = await startInProcessAgent(era)
    const { clips: good } = await createClips(agent)
    await using outside = await temporaryFolder()
    await writeFile(join(outside.path, 'secret.mp4'), 'secret')
    await symlink(join(outside.path, 'secret.mp4'), join(agent.workspace, 'link.mp4'))
    await writeFile(join(agent.workspace, 'empty.mp4'), '')
    await writeFile(join(agent.workspace, 'notes.txt'), 'x')
    await writeFile(join(agent.workspace, 'tool.exe'), 'x')
    await writeFile(join(agent.workspace, 'noext'), 'x')
    await writeFile(join(agent.workspace, '12345'), 'x')
    const withClip = (file_id: unknown) => ({ clips: [good[0], { file_id }] })
    const cases: [unknown, RegExp][] = [
      [{}, /^6013: Required: clips\. .*Retryable: no$/],
      [{ clips: [good[0]] }, /^6016: clips: /],
      [{ clips: Array.from({ length: 17 }, () => good[0]) }, /^6016: clips: /],
      [{ clips: good, tempo: 'red' }, /^6016: Unknown argument tempo\. Fix: Expected here: clips, /],
      [
        { clips: [good[0], { ...good[1], start: 1 }] },
        /^6016: Unknown argument clips\[1\]\.start\. Fix: Did you mean begin_time_ms .*file_id/,
      ],
      [{ clips: good, quality: 480 }, /^6016: quality: /],
      [{ clips: good, wait_seconds: 600 }, /^6016: wait_seconds: /],
      [withClip(123_456), /^6016: clips\[1\]\.file_id: .*lost digits/],
      [withClip(join(outside.path, 'secret.mp4')), /^6016: .* is outside the allowed folders: .*--allow-dir/],
      [withClip('link.mp4'), /^6016: clips\[1\]\.file_id: link\.mp4 is outside/],
      [withClip('../../etc/passwd'), /^600[14]|^6016/],
      [
        withClip('missing.mp4'),
        /^6004: clips\[1\]\.file_id: There is no missing\.mp4\. Fix: Relative paths start from .*--allow-dir/,
      ],
      [withClip('empty.mp4'), /^6011: /],
      [withClip('notes.txt'), /^6014: clips\[1\]\.file_id: notes\.txt is not a video\. /],
      [
        withClip('tool.exe'),
        /^6001: clips\[1\]\.file_id: tool\.exe has the extension \.exe, .*Fix: Supported: \.mp4 [a-z. ]*\.webm\. Retryable/,
      ],
      [withClip('noext'), /^6001: clips\[1\]\.file_id: noext has no extension\. Fix: Supported: \.mp4 /],
      [withClip('12345'), /^6001: clips\[1\]\.file_id: 12345 has no extension/],
      [
        withClip('nothing'),
        /^6004: clips\[1\]\.file_id: There is no nothing\. Fix: Relative paths start from/,
      ],
      [
        { clips: [['left.mp4'], 'right.mp4'] },
        /^6016: clips\[0\]: .* Fix: Pass clips\[0\] as {"file_id": …}\./,
      ],
      [{ clips: 'left.mp4' }, /^6016: clips: at least 2 items, 1 given/],
      [{ clips: 5 }, /^6016: clips: .* Fix: Pass clips as \[{"file_id": …}, …\]\./],
      [{ clips: good, gap_ratio: '1%' }, /^6016: gap_ratio: /],
      [
        { clips: good, layout_id: 250_100 },
        /^6016: layout_id: layout_id is not allowed with layout_mode auto.* Fix: Add "layout_mode": "template" to use this layout, or omit layout_id\./,
      ],
      [
        { clips: good, save_to: 'n'.repeat(300) },
        /^6016: Files cannot be saved to n+: a name in it is too long/,
      ],
      [withClip('.'), /^6016: clips\[1\]\.file_id: \. is a folder/],
      [withClip('https://example.com/a.mp4'), /^6016: .*remote URL/],
      [{ clips: good, save_to: outside.path }, /^6016: .* is outside/],
      [{ clips: good, save_to: '.hidden/out' }, /^6016: .* is hidden/],
    ]
    for (const [args, expected] of cases) {
      const response = await agent.call('video_split_screen', args as Record<string, unknown>)
      expect([response.isError, response.text]).toEqual([true, expect.stringMatching(expected)])
      expect(response.result.structuredContent).toBeUndefined()
    }
    expect((await agent.call('get_task', { task_id: 17 })).text).toMatch(/^6016: task_id: .*lost digits/)
    expect((await agent.call('get_task', { task_id: '404' })).text).toMatch(/^6005: /)
    expect((await agent.call('inspect_file')).text).toMatch(/^6013: Required: file\. /)
    expect((await agent.call('service_status', { file: 'left.mp4' })).text).toMatch(
      /^6016: Unknown argument file\. Fix: Expected here: details\./,
    )
    expect((await agent.call('inspect_file', { file: 'noext' })).text).toMatch(/^6001: .*Supported: \.jpg /)
    expect((await agent.call('inspect_file', { file: '404' })).text).toMatch(/^6004: /)
    for (const file_id of ['left.mp4', join(agent.workspace, 'left.mp4'), 'noext']) {
      const { text } = await agent.call('download_file', { file_id })
      expect(text).toMatch(/^6016: .* is a path, not a file id\. Fix: .*names a local file/)
    }
    expect(agent.service.files.size).toBe(0)
    expect(agent.service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
  })

  test('a field that the list of tools omits is accepted', async () => {
    await using agent = await startInProcessAgent(era)
    const clips = await createClips(agent)
    const { isError } = await agent.call('video_split_screen', { ...clips, duration_mode: 'shortest' })
    expect(isError).toBe(false)
    const refused = await agent.call('video_split_screen', { ...clips, duration_mode: 'longest' })
    expect(refused.text).toMatch(/^6016: duration_mode: /)
  })

  test('nested arguments are accepted as JSON text', async () => {
    await using agent = await startInProcessAgent(era)
    const { clips: list } = await createClips(agent)
    const text = JSON.stringify([{ ...list[0], crop: '{"x":0,"y":0,"width":0.5,"height":1}' }, list[1]])
    const { data } = await agent.call('video_split_screen', { clips: text })
    expect(data).toMatchObject({ status: 'completed' })
    const [task] = agent.service.tasks.values()
    expect(task?.body).toMatchObject({ clips: [{ crop: { width: 0.5 } }, {}] })
  })

  test('nested nulls are ignored, and numerals are read as numbers', async () => {
    await using agent = await startInProcessAgent(era)
    const { clips: list } = await createClips(agent)
    const { data } = await agent.call('video_split_screen', {
      clips: [
        { ...list[0], crop: null, begin_time_ms: null },
        { ...list[1], end_time_ms: '300' },
      ],
      gap_ratio: '0.01',
      wait_seconds: '20',
    })
    expect(data).toMatchObject({ status: 'completed' })
    const [task] = agent.service.tasks.values()
    const [first, second] = [...agent.service.files.keys()]
    expect(task?.body).toEqual({
      clips: [{ file_id: first }, { file_id: second, end_time_ms: 300 }],
      gap_ratio: 0.01,
    })
  })

  test.skipIf(process.getuid?.() === 0)(
    'a folder without write permission is rejected immediately',
    async () => {
      await using agent = await startInProcessAgent(era)
      const input = await createClips(agent)
      await mkdir(join(agent.workspace, 'locked'))
      await chmod(join(agent.workspace, 'locked'), 0o555)
      for (const save_to of ['locked', 'locked/deeper', 'locked/final.mp4']) {
        const { text } = await agent.call('video_split_screen', { ...input, save_to })
        expect(text).toMatch(/^6016: Files cannot be saved to .*: the folder may not be written\. /)
      }
      expect(agent.service.requests.filter((request) => request.startsWith('POST'))).toEqual([])
    },
  )
})
