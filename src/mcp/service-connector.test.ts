import { describe, expect, test } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { createClient, type Connection } from '../client/client.ts'
import { EventFeed } from '../client/event-feed.ts'
import { createTask } from '../client/tasks.ts'
import { routes } from '../contract/routes.ts'
import { reconnectingClient } from './service-connector.ts'

const task_type = 'video_split_screen'

/** Connects to one service after the other, and records which connections were retired and closed. */
function connectInOrder(...services: { readonly baseUrl: string; readonly apiKey: string }[]) {
  const retired: string[] = []
  const closed: string[] = []
  const connect = async (): Promise<Connection> => {
    const service = (services.length > 1 ? services.shift() : services[0]) ?? { baseUrl: '', apiKey: '' }
    const client = createClient(service)
    return {
      ...client,
      async retire() {
        retired.push(service.baseUrl)
        await client.retire()
      },
      async close() {
        closed.push(service.baseUrl)
        await client.close()
      },
    }
  }
  return { connect, retired, closed }
}

describe('a service that restarts on another port', () => {
  test('is used by the next call, and the old connection is retired once', async () => {
    const first = await startContractServer()
    await using second = await startContractServer()
    const { connect, retired } = connectInOrder(first, second)
    const client = reconnectingClient({ connect })
    await client.call(routes.capabilities)
    await first[Symbol.asyncDispose]()
    await Promise.all([client.call(routes.capabilities), client.call(routes.listTasks)])
    expect(second.requests.toSorted()).toEqual(['GET /base/capabilities', 'GET /task/list'])
    expect(retired).toEqual([first.baseUrl])
    await client.close()
  })

  test('sends its events to subscribers of the previous connection, without a call', async () => {
    const first = await startContractServer()
    await using second = await startContractServer()
    second.onCreate = () => undefined
    const task = await createTask(createClient(second), { task_type, body: {} })
    const { connect, retired } = connectInOrder(first, second)
    const client = reconnectingClient({ connect })
    using feed = new EventFeed(client)
    const changedIds: (string | null)[] = []
    feed.follow((changed) => void changedIds.push(changed?.task_id ?? null))
    await waitUntil(() => first.eventSockets.size === 1, 'the feed is connected to the first service')
    await first[Symbol.asyncDispose]()
    await waitUntil(() => second.eventSockets.size === 1, 'the feed is connected to the second service')
    second.updateTask(task.task_id, { status: 'processing' })
    await waitUntil(() => changedIds.includes(task.task_id), 'an event of the second service')
    expect(retired).toEqual([first.baseUrl])
    await client.close()
  })

  test('is connected to with its new key', async () => {
    await using service = await startContractServer()
    const { connect, retired } = connectInOrder({ ...service, apiKey: 'previous key' }, service)
    const client = reconnectingClient({ connect })
    using feed = new EventFeed(client)
    feed.follow(() => undefined)
    await waitUntil(() => service.eventSockets.size === 1, 'the feed is connected')
    expect(retired).toEqual([service.baseUrl])
    await client.close()
  })
})

describe('opening events does not start a service', () => {
  test('a stopped service is looked up but not started; a call starts it', async () => {
    await using service = await startContractServer()
    let starts = 0
    const client = reconnectingClient({
      connect: async () => {
        starts += 1
        return createClient(service)
      },
      find: async () => null,
    })
    await expect(client.openEvents()).rejects.toMatchObject({ code: 6401, retryable: true })
    expect(starts).toBe(0)
    await client.call(routes.capabilities)
    const socket = await client.openEvents()
    expect([socket.readyState, starts]).toEqual([socket.OPEN, 1])
    socket.close()
    await client.close()
  })

  test('calls use the service that was found for events', async () => {
    await using service = await startContractServer()
    const client = reconnectingClient({
      connect: () => Promise.reject(new Error('nothing should be started')),
      find: async () => createClient(service),
    })
    const socket = await client.openEvents()
    expect((await client.call(routes.capabilities)).credits.balance).toBe(100)
    socket.close()
    await client.close()
  })

  test('a connection found after a call has connected is closed', async () => {
    await using service = await startContractServer()
    const search = Promise.withResolvers<Connection>()
    const { connect, closed } = connectInOrder(service)
    const client = reconnectingClient({ connect, find: () => search.promise })
    const opening = client.openEvents()
    await client.call(routes.capabilities)
    search.resolve(await connect())
    const socket = await opening
    expect([socket.readyState, closed]).toEqual([socket.OPEN, [service.baseUrl]])
    socket.close()
    await client.close()
  })
})
