import { once } from 'node:events'
import { fillPath, routes } from '../../src/contract/routes.ts'
import { isTerminal, taskEvent, type TaskCreated, type TaskRecord } from '../../src/contract/task.ts'
import { subscribeToAll, connectEventSocket, type EventClient } from '../http/event-client.ts'
import { api, type ApiResponse, type Api } from '../service/api.ts'
import type { ServiceProcess } from '../service/process.ts'
import type { RestartingService } from './restarting-service.ts'

/** Shares of task behaviours; the remaining tasks are plain copies. */
const behaviours = [
  ['refuse', 0.06],
  ['wait', 0.06],
  ['break', 0.004],
  ['crash', 0.004],
] as const

type Behaviour = (typeof behaviours)[number][0] | 'copy'

/** Final state of a task that is not cancelled, by behaviour. */
const finalStates: Readonly<Record<Behaviour, TaskRecord['status']>> = {
  copy: 'completed',
  refuse: 'failed',
  wait: 'failed',
  break: 'failed',
  crash: 'failed',
}

interface Options {
  readonly service: RestartingService
  readonly apiKey: string
  readonly random: () => number
  /** Ids of files that the test has expired. */
  readonly expired: ReadonlySet<string>
}

/** A client that uploads, creates, cancels, stops and deletes, and follows the events of its account across disconnects. */
export class DayClient {
  /** Ids of its tasks, each created once despite failures. */
  readonly tasks = new Set<string>()
  /** Number of the latest event received. */
  seq = 0
  readonly #service: RestartingService
  readonly #apiKey: string
  readonly #random: () => number
  readonly #expired: ReadonlySet<string>
  readonly #states = new Map<string, TaskRecord['status']>()
  readonly #received = new EventTarget()
  #listener: EventClient | undefined
  #over = false

  constructor({ service, apiKey, random, expired }: Options) {
    this.#service = service
    this.#apiKey = apiKey
    this.#random = random
    this.#expired = expired
  }

  /** Disconnects its event socket, if open. */
  disconnect(): void {
    this.#listener?.socket.close()
  }

  /** Creates one task and waits for its end. Throws if the service violates the contract. */
  async runTask(name: string): Promise<void> {
    const content = this.#random() < 0.8 ? `content of ${name}` : 'content of many'
    const behaviour = this.#behaviour()
    const { file_id, task_id } = await this.#createTask(name, content, behaviour)
    if (this.tasks.has(task_id)) throw new Error(`${task_id} was issued twice`)
    this.tasks.add(task_id)
    const wantsCancel = this.#random() < 0.08
    const cancelled = wantsCancel && (await this.#cancel(task_id))
    if (behaviour === 'wait' && !cancelled) await this.#stop(task_id)
    const state = await this.#waitForEnd(task_id)
    const expected = cancelled ? ['cancelled'] : [finalStates[behaviour]]
    // Stopped before it started, or cancelled by a request whose response was lost.
    if (behaviour === 'wait' || wantsCancel) expected.push('cancelled')
    if (!expected.includes(state))
      throw new Error(`${behaviour} ended as ${state}, not ${expected.join(' or ')}`)
    if (this.#random() < 0.05) await this.#delete(file_id)
  }

  /** Uploads a file and creates a task with it. Repeats both if the file expired in between. */
  async #createTask(
    name: string,
    content: string,
    behaviour: Behaviour,
  ): Promise<{ file_id: string; task_id: string }> {
    for (;;) {
      const { data: file } = await this.#requestSuccess(`upload ${name}`, (calls) =>
        calls.upload(`${name}.txt`, content),
      )
      const { file_id } = file
      const created = await this.#request((calls) => create(calls, name, { file_id, behaviour }))
      if (created.code === 200) return { file_id, task_id: created.data.task_id }
      if (created.code !== 6004 || !this.#expired.has(file_id))
        throw new Error(`create ${name}: ${created.code} ${created.msg}`)
    }
  }

  /** Follows events until stopped. After each disconnect, a new socket resumes at the last event. */
  async follow(): Promise<void> {
    while (!this.#over) {
      const service = await this.#service.current
      const listener = await connectEventSocket({ baseUrl: service.baseUrl, apiKey: this.#apiKey })
      const closed = once(listener.socket, 'close')
      if (listener.socket.readyState !== WebSocket.OPEN) continue
      this.#listener = listener
      listener.socket.addEventListener('message', ({ data }) => this.#receive(String(data)))
      listener.send({ ...subscribeToAll, after: this.seq })
      if (this.#over) listener.socket.close()
      await closed
    }
  }

  end(): void {
    this.#over = true
    this.disconnect()
  }

  /** Contradictions in the received events. */
  failure: Error | undefined

  #receive(text: string): void {
    const event = taskEvent.parse(JSON.parse(text))
    if (event.event === 'snapshot' && event.seq !== this.seq)
      this.#fail(`snapshot ${event.seq} after ${this.seq}`)
    if (event.event !== 'status') return
    if (event.seq !== this.seq + 1) this.#fail(`event ${event.seq} after ${this.seq}`)
    this.seq = event.seq
    this.#states.set(event.task.task_id, event.task.status)
    this.#received.dispatchEvent(new Event('received'))
  }

  #fail(message: string): void {
    this.failure ??= new Error(message)
  }

  async #waitForEnd(id: string): Promise<TaskRecord['status']> {
    for (;;) {
      const state = this.#states.get(id)
      if (state && isTerminal(state)) return state
      if (this.failure) throw this.failure
      await once(this.#received, 'received')
    }
  }

  /** Repeats a request until it succeeds. Only a service that is stopping may fail. */
  async #requestSuccess<T>(
    message: string,
    act: (calls: Api) => Promise<ApiResponse<T>>,
  ): Promise<ApiResponse<T>> {
    const response = await this.#request(act)
    if (response.code === 200) return response
    throw new Error(`${message}: ${response.code} ${response.msg}`)
  }

  async #request<T>(act: (calls: Api) => Promise<ApiResponse<T>>): Promise<ApiResponse<T>> {
    for (;;) {
      const service: ServiceProcess = await this.#service.current
      try {
        return await act(api({ baseUrl: service.baseUrl, apiKey: this.#apiKey }))
      } catch (error) {
        if (!this.#service.isEnding(service)) throw error
      }
    }
  }

  /** Whether it was cancelled; false if too late, or if an earlier request without a response cancelled it. */
  async #cancel(id: string): Promise<boolean> {
    const { code } = await this.#request((calls) => calls.cancel(id))
    if (code !== 200 && code !== 6007) throw new Error(`cancel: ${code}`)
    return code === 200
  }

  async #stop(id: string): Promise<void> {
    const { code } = await this.#request((calls) => calls.stop(id))
    if (code !== 200 && code !== 6007) throw new Error(`stop: ${code}`)
  }

  async #delete(id: string): Promise<void> {
    const { code } = await this.#request((calls) =>
      calls.send(fillPath(routes.deleteFile.path, { file_id: id }), { method: 'DELETE' }),
    )
    // Another task may use it, or it is already deleted.
    if (![200, 6004, 6008].includes(code)) throw new Error(`delete: ${code}`)
  }

  #behaviour(): Behaviour {
    let remaining = this.#random()
    for (const [behaviour, share] of behaviours) {
      if (remaining < share) return behaviour
      remaining -= share
    }
    return 'copy'
  }
}

function create(calls: Api, name: string, body: unknown): Promise<ApiResponse<TaskCreated>> {
  return calls.send<TaskCreated>(fillPath(routes.createTask.path, { task_type: 'test_copy' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': name },
    body: JSON.stringify(body),
  })
}
