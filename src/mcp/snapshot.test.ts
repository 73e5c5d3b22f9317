import { expect, test } from 'vitest'
import type { TaskView } from '../client/tasks.ts'
import { taskSnapshot } from './snapshot.ts'

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
