import { expect, test } from 'vitest'
import type { TaskView } from '../client/tasks.ts'
import { callAgainSnapshot, taskSnapshot, uploadSnapshot } from './snapshot.ts'

const task: TaskView = {
  task_id: '1',
  task_type: 'x',
  status: 'queued',
  progress: 0,
  output_result: null,
}

test.each([
  [{ wait: 0, work: 3.2 }, 'starts shortly, and then takes about 4 s'],
  [{ wait: 90, work: 91 }, 'starts in about 90 s, and then takes about 2 min'],
  [null, 'it runs in the background'],
])('next step of a queued task with expected times %j: %s', (expected, text) => {
  expect(taskSnapshot(task, { expected }).next_step).toContain(text)
})

test.each([
  [{ wait: 0, work: 5 }, 'it runs in the background and takes about 5 s more'],
  [{ wait: 0, work: 0 }, 'it runs in the background and is almost done'],
  [{ wait: 0, work: null }, 'it runs in the background and takes longer than expected.'],
  [null, 'it runs in the background.'],
])('next step of a task in progress with expected times %j: %s', (expected, text) => {
  expect(taskSnapshot({ ...task, status: 'processing' }, { expected }).next_step).toContain(text)
})

test('the next step of a completed task is the advice of its operation', () => {
  const done = { ...task, status: 'completed', output_result: {} } as const
  expect(taskSnapshot(done, { delivery: { saved: [] }, advice: 'Look at it.' }).next_step).toBe(
    'Done. Look at it.',
  )
})

test('a task that waits for a download says so instead of an estimate', () => {
  const waiting = {
    ...task,
    status: 'processing',
    note: 'downloading text-detection (2.3 MiB): 40 %',
  } as const
  const { note, next_step } = taskSnapshot(waiting, { expected: { wait: 0, work: 2 } })
  expect(note).toBe(waiting.note)
  expect(next_step).toMatch(
    /^Not finished; it is downloading text-detection \(2\.3 MiB\): 40 %\. Call get_task/,
  )
})

test('a task that was stopped on request is cancelled, without an error', () => {
  const error = { code: 6009, message: 'stopped', retryable: false }
  const snapshot = taskSnapshot({ ...task, status: 'failed', output_result: { error } })
  expect(snapshot).toEqual({
    ...{ task_id: '1', task_type: 'x', status: 'cancelled', progress: 0 },
    next_step: expect.stringMatching(/^The task was stopped on request/),
  })
})

const saved = (path: string) => ({ saved: [{ file_id: '7', role: 'result', path, bytes: 3 }] })

test.each([
  [
    '/w/a.mp4',
    'To check it, call inspect_file with file "/w/a.mp4" and preview contact_sheet. Tell the user.',
  ],
  [
    '/w/a.png',
    'To check it, call inspect_file with file "/w/a.png" and preview contact_sheet. Tell the user.',
  ],
  ['/w/a.wav', 'To check it, call inspect_file with file "/w/a.wav" and preview waveform. Tell the user.'],
  ['/w/a.srt', 'Tell the user.'],
])('the next step names the result %s and how to look at it', (path, last) => {
  const done = { ...task, status: 'completed', output_result: {} } as const
  expect(taskSnapshot(done, { delivery: saved(path) }).next_step).toBe(`Done. Saved to ${path}. ${last}`)
})

test('the next step names few of many results, which the files list', () => {
  const done = { ...task, status: 'completed', output_result: {} } as const
  const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].flatMap((name) => saved(`/w/${name}.srt`).saved)
  expect(taskSnapshot(done, { delivery: { saved: files } }).next_step).toBe(
    'Done. Saved to /w/a.srt, /w/b.srt, /w/c.srt, /w/d.srt, /w/e.srt, and 2 more (files). Tell the user.',
  )
})

test('the next step of a completed task contains the notes of its result', () => {
  const output_result = { file_id: '7', notes: ['The cover is ignored', 'It is short.'] }
  const done = { ...task, status: 'completed', output_result } as const
  expect(taskSnapshot(done, { delivery: saved('/w/a.mid') }).next_step).toBe(
    'Done. Saved to /w/a.mid. Notes: The cover is ignored. It is short. Tell the user.',
  )
})

test('the output contains no download URLs and no relative links, at any depth', () => {
  const slot = { file_id: '8', download_url: '/base/file/8/download', thumb_url: '/thumb/8', source: 'a' }
  const output_result = {
    file_id: '7',
    download_url: 'x',
    midi_download_url: 'y',
    slots: [slot],
    deep: { slot, page_url: 'https://example.org/8', url: '/8', curl: '/8', other_url: 8 },
  }
  expect(taskSnapshot({ ...task, status: 'completed', output_result }).output).toEqual({
    file_id: '7',
    slots: [{ file_id: '8', source: 'a' }],
    deep: {
      ...{ slot: { file_id: '8', source: 'a' }, page_url: 'https://example.org/8' },
      ...{ curl: '/8', other_url: 8 },
    },
  })
})

test('an upload and a price that needs consent state what was assumed', () => {
  const assumed = ['ratio was read as output_ratio.']
  const step = { assumed, next_step: expect.stringMatching(/^ratio was read as output_ratio\. The /) }
  expect(callAgainSnapshot({ task_type: 'x', credits: 9, assumed })).toMatchObject(step)
  expect(uploadSnapshot({ id: 'transfer-1', progress: 3 }, { assumed })).toMatchObject(step)
})
