import { downloadUrl, fillPath, routes } from '../../src/contract/routes.ts'
import type { FileRecord } from '../../src/contract/file.ts'
import { assertDocumented } from './assert-documented.ts'
import { isTerminal, type TaskCreated, type TaskRecord } from '../../src/contract/task.ts'

/** A response of the service. */
export interface ApiResponse<T = unknown> {
  readonly status: number
  readonly code: number
  readonly msg: string
  readonly data: T
}

/** Plain HTTP calls without the product's client and its retries. Asserts that each response is documented. */
export function api({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }) {
  const send = async <T>(path: string, init: RequestInit = {}): Promise<ApiResponse<T>> => {
    const headers = { ...(init.headers as Record<string, string>), authorization: apiKey }
    const response = await fetch(baseUrl + path, { ...init, headers })
    const { status } = response
    const body = await response.text()
    assertDocumented({
      method: init.method ?? 'GET',
      path,
      status,
      type: response.headers.get('content-type'),
      body,
    })
    return { status, ...(JSON.parse(body) as Omit<ApiResponse<T>, 'status'>) }
  }
  const query = (type: string, id: string) =>
    send<TaskRecord>(fillPath(routes.queryTask.path, { task_type: type, task_id: id }))
  return {
    send,
    query,
    /** A task once it has ended. */
    ended: (type: string, id: string) =>
      pollUntil(
        () => query(type, id),
        ({ data }) => isTerminal(data.status),
        { backOff: true },
      ),
    /** Balance of the account, credits. */
    async balance(): Promise<number> {
      return (await send<{ credits: { balance: number } }>(routes.capabilities.path)).data.credits.balance
    },
    upload(name: string, bytes: Uint8Array<ArrayBuffer> | string) {
      const form = new FormData()
      form.append('file', new Blob([bytes]), name)
      return send<FileRecord>(routes.uploadFile.path, { method: 'POST', body: form })
    },
    create(type: string, body: unknown) {
      return send<TaskCreated>(fillPath(routes.createTask.path, { task_type: type }), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    },
    cancel(id: string) {
      return send<string>(fillPath(routes.cancelTask.path, { task_id: id }), { method: 'POST' })
    },
    stop(id: string) {
      return send<TaskRecord>(fillPath(routes.stopTask.path, { task_id: id }), { method: 'POST' })
    },
    async download(fileId: string): Promise<Uint8Array> {
      const response = await fetch(baseUrl + downloadUrl(fileId), { headers: { authorization: apiKey } })
      if (!response.ok) throw new Error(`download returned ${response.status}`)
      return response.bytes()
    },
  }
}

export type Api = ReturnType<typeof api>

/** Poll intervals: share of the time waited, and the longest, ms. */
const pollIntervals = {
  usual: { share: 1 / 20, longestMs: 100 },
  backOff: { share: 1 / 10, longestMs: 1000 },
  brief: { share: 0, longestMs: 10 },
} as const

/** Shorter than the test timeout, so that the failed condition is reported, ms. */
const pollTimeoutMs = 120_000

/**
 * Polls until a condition is true, for states without events. The poll interval grows, because polling takes
 * processor time; it stays at 10 ms for a condition that is true only briefly.
 */
export async function pollUntil<T>(
  query: () => Promise<T>,
  condition: (response: T) => boolean,
  { backOff = false, isBrief = false } = {},
): Promise<T> {
  const began = Date.now()
  for (;;) {
    const response = await query()
    if (condition(response)) return response
    const waited = Date.now() - began
    if (waited > pollTimeoutMs) throw new Error(`the condition is still false: ${JSON.stringify(response)}`)
    const { share, longestMs } = pollIntervals[isBrief ? 'brief' : backOff ? 'backOff' : 'usual']
    const restMs = Math.min(Math.max(20, waited * share), longestMs)
    await new Promise((resolve) => setTimeout(resolve, restMs))
  }
}
