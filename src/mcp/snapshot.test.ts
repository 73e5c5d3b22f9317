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

test('a task that runs tells nothing of a start', () => {
  const { next_step } = taskSnapshot({ ...task, status: 'processing' }, { expected: { wait: 5, work: 5 } })
  expect(next_step).toContain('the work goes on by itself')
})
