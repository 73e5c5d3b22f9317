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
  [{ wait: 0, work: 3.2 }, 'starts by itself any moment, and takes about 4 s then'],
  [{ wait: 90, work: 91 }, 'starts by itself in about 90 s, and takes about 2 min then'],
  [null, 'the work goes on by itself'],
])('a queued task of which %j is expected: %s', (expected, words) => {
  expect(taskSnapshot(task, { expected }).next_step).toContain(words)
})

test.each([
  [{ wait: 0, work: 5 }, 'the work goes on by itself and takes about 5 s yet'],
  [{ wait: 0, work: 0 }, 'the work goes on by itself and is about done'],
  [{ wait: 0, work: null }, 'the work goes on by itself and takes longer than expected.'],
  [null, 'the work goes on by itself.'],
])('a task that runs of which %j is expected: %s', (expected, words) => {
  expect(taskSnapshot({ ...task, status: 'processing' }, { expected }).next_step).toContain(words)
})

test('a completed task tells what its operation says is next', () => {
  const done = { ...task, status: 'completed', output_result: {} } as const
  expect(taskSnapshot(done, { delivery: { saved: [] }, advice: 'Look at it.' }).next_step).toBe(
    'Done. Look at it.',
  )
})
