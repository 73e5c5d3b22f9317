import type { TaskEvent } from '../src/contract/task.ts'
import { subscribeToAll, connectEventSocket } from '../test/http/event-client.ts'
import { api } from '../test/service/api.ts'
import { startTestService } from '../test/service/in-process.ts'

// Time from the request that creates a task to its first reported progress, as seen by a client: 200 short tasks one after
// another, with durable SQLite and warm workers.

const isDone = (one: TaskEvent) => one.event === 'status' && one.task.status === 'completed'

const runs = 200
const warmUps = 5

await using service = await startTestService()
const account = await service.account(runs + warmUps)
const calls = api(account)
using events = await connectEventSocket(account)
events.send(subscribeToAll)
await events.waitFor(({ length }) => length === 1)
const { data: file } = await calls.upload('a.txt', 'some bytes')

const times: number[] = []
for (let run = 0; run < runs + warmUps; run += 1) {
  const started = performance.now()
  const { data: task } = await calls.create('test_copy', { file_id: file.file_id })
  const concernsTask = (one: TaskEvent) => one.event !== 'error' && one.task?.task_id === task.task_id
  // A task this short may report only its end.
  await events.waitFor((received) =>
    received.some((one) => concernsTask(one) && (one.event === 'progress' || isDone(one))),
  )
  const began = performance.now()
  await events.waitFor((received) => received.some((one) => concernsTask(one) && isDone(one)))
  if (run >= warmUps) times.push(began - started)
  events.events.length = 0
}
const sorted = times.toSorted((a, b) => a - b)
const at = (share: number) => (sorted[Math.ceil(share * sorted.length) - 1] ?? 0).toFixed(1)
console.log(`creation to first progress, ms: p50 ${at(0.5)}, p95 ${at(0.95)}, slowest ${at(1)}`)
