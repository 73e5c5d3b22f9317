import { once } from 'node:events'
import { WebSocket } from 'undici'
import { taskEvent, type TaskEvent } from '../../src/contract/task.ts'
import type { Api } from '../service/api.ts'

/** A client of the event socket that records events. */
export interface EventClient extends Disposable {
  readonly socket: WebSocket
  readonly events: TaskEvent[]
  send(message: unknown): void
  /** Waits until the recorded events satisfy a condition. */
  waitFor(condition: (events: readonly TaskEvent[]) => boolean): Promise<readonly TaskEvent[]>
}

/** Connects to the event socket with a key, or with a ticket alone. */
export async function connectEventSocket(
  service: { baseUrl: string } & ({ apiKey: string } | { ticket: string }),
): Promise<EventClient> {
  const url = new URL(`${service.baseUrl.replace('http', 'ws')}/task/events`)
  const headers: Record<string, string> = {}
  if ('ticket' in service) url.searchParams.set('ticket', service.ticket)
  else headers['authorization'] = service.apiKey
  const socket = new WebSocket(url, { headers })
  const events: TaskEvent[] = []
  const changed = new EventTarget()
  socket.addEventListener('message', ({ data }) => {
    events.push(taskEvent.parse(JSON.parse(String(data))))
    changed.dispatchEvent(new Event('change'))
  })
  await Promise.race([once(socket, 'open'), once(socket, 'error')])
  return {
    socket,
    events,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async waitFor(condition) {
      while (!condition(events)) await once(changed, 'change')
      return events
    },
    [Symbol.dispose]: () => socket.close(),
  }
}

/** Subscribes to all tasks of the account. */
export const subscribeToAll = { action: 'subscribe', all: true }
/** Numbers of the status events. */
export const eventNumbers = (events: readonly TaskEvent[]) =>
  events.flatMap((one) => (one.event === 'status' ? one.seq : []))
/** States in the status events. */
export const eventStates = (events: readonly TaskEvent[]) =>
  events.flatMap((one) => (one.event === 'status' ? one.task.status : []))

/** Creates a task and returns its id. */
export async function createTestTask(calls: Api, behaviour = 'copy'): Promise<string> {
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  return (await calls.create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
}
