import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorTable } from '../../src/contract/errors.ts'
import { findFileRefs, type FileReference } from '../../src/contract/file.ts'
import { commonErrors, type Endpoint } from '../../src/contract/route.ts'
import { endpoints, fillPath } from '../../src/contract/routes.ts'
import { fastifyPath } from '../../src/http/request-input.ts'
import { describeApi } from '../../src/http/openapi.ts'
import { operations } from '../../tools/index.ts'
import { h264, generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { apiDocument, validatorOf } from '../service/assert-documented.ts'
import { fakeModule, messageEnvelopeModule } from '../service/fake-operation.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { sendRequest, envelope, openConnection } from './raw-http.ts'
import { successfulRequests, type SuccessfulRequest, type RequestSubjects } from './successful-requests.ts'

const folder = await scratchFolder()

/** The document of the service below. */
const served = describeApi([fakeModule.operation, messageEnvelopeModule.operation], { version: '0.0.0-test' })

const described = Object.entries(served.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([verb, operation]) => ({
    path,
    method: verb.toUpperCase() as Endpoint['method'],
    operationId: operation.operationId,
    operation,
  })),
)

/** Methods and paths of all registered routes, except HEAD, which Fastify adds to GET. */
const routesOfApp = new Set<string>()

function listRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) if (each !== 'HEAD') routesOfApp.add(`${each} ${url}`)
  })
}

let service: TestService
let world: RequestSubjects

beforeAll(async () => {
  subscribe('fastify.initialization', listRoutes)
  service = await startTestService({ operations: [fakeModule, messageEnvelopeModule], localImport: true })
  unsubscribe('fastify.initialization', listRoutes)
  const account = await service.account(1000)
  const clip = await generateMedia(join(folder, 'clip.mp4'), [
    '-f',
    'lavfi',
    '-i',
    'color=teal:s=160x90:r=25:d=1',
    ...h264,
  ])
  const { data } = await api(account).upload('clip.mp4', await readFile(clip))
  world = { account, clip: data.file_id, type: '' }
})
afterAll(() => service[Symbol.asyncDispose]())

describe('the document', () => {
  test('is served, and is valid OpenAPI 3.1', async () => {
    const { bytes } = await sendRequest(`${service.baseUrl}/docs/openapi.json`)
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(JSON.stringify(served)))
    const validator = new Validator()
    const { valid, errors } = await validator.validate(
      JSON.parse(bytes.toString()) as Record<string, unknown>,
    )
    expect([valid, errors, validator.version]).toEqual([true, undefined, '3.1'])
  })

  test('has exactly the registered endpoints', () => {
    const declared = Object.values(endpoints).map(({ method, path }) => `${method} ${fastifyPath(path)}`)
    expect([...routesOfApp].toSorted()).toEqual(declared.toSorted())
    const documented = Object.entries(apiDocument.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const types = [
      'test_answer',
      'test_copy',
      'test_message',
      ...operations.map(({ operation }) => operation.name),
    ]
    const written = Object.values(endpoints).flatMap(({ method, path }) =>
      path.includes('{task_type}')
        ? types.map((type) => `${method} ${path.replace('{task_type}', type)}`)
        : `${method} ${path}`,
    )
    expect(documented.toSorted()).toEqual(written.toSorted())
  })

  test('describes every parameter', () => {
    const parameters = described.flatMap(({ operation }) => operation.parameters)
    expect(parameters.filter(({ description }) => description === '')).toEqual([])
  })

  test('lists every error code', () => {
    const named = new Set<number>([
      ...commonErrors,
      ...Object.values(endpoints).flatMap(({ errors }) => [...errors]),
    ])
    expect([...named].toSorted((one, other) => one - other)).toEqual(Object.keys(errorTable).map(Number))
  })

  test('names every media type of images of questions', () => {
    const { operation } = described.find(({ operationId }) => operationId === 'questionImage') ?? {}
    expect(Object.keys(operation?.responses[200]?.content ?? {})).toEqual([
      'image/jpeg',
      'image/png',
      'image/webp',
    ])
  })

  test('has examples that match the schemas', () => {
    const creations = Object.entries(apiDocument.paths).flatMap(([path, { post }]) =>
      Object.entries(post?.requestBody?.content['application/json']?.examples ?? {}).map(
        ([, { value }]) => [path, value] as const,
      ),
    )
    expect(creations.length).toBeGreaterThan(3)
    const files: FileReference[] = []
    for (const [path, value] of creations) {
      const validate = validatorOf([
        'paths',
        path,
        'post',
        'requestBody',
        'content',
        'application/json',
        'schema',
      ])
      expect([validate(value), validate.errors]).toEqual([true, null])
      const type = [...operations, fakeModule].find(({ operation }) => path.split('/')[2] === operation.name)
      files.push(...(type ? findFileRefs(type.operation.input, value) : []))
    }
    expect(files.length).toBeGreaterThan(5)
    for (const { value } of files) expect(value).toMatch(/^\d{19}$/)
  })
})

async function send(
  address: string,
  method: Endpoint['method'],
  { json, body, headers, status }: SuccessfulRequest,
) {
  if (status === 101) {
    using line = await openConnection(service.baseUrl)
    const head = Object.entries({ host: 'localhost', authorization: world.account.apiKey, ...headers })
    line.socket.write(
      `${method} ${address} HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(await line.waitForText(/\r\n/))?.[1]) }
  }
  return await sendRequest(service.baseUrl + address, {
    method,
    body: json === undefined ? body : JSON.stringify(json),
    headers: {
      authorization: world.account.apiKey,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  })
}

describe.each(described)('$operationId', ({ path, method, operationId, operation }) => {
  test('responds to a documented request as documented', async () => {
    const [, name = '', type = ''] = /^([a-zA-Z]+)_?(.*)$/.exec(operationId) ?? []
    const success = await successfulRequests[name as keyof typeof successfulRequests]({ ...world, type })
    const { params, query = {}, json, status = 200 } = success
    const names = operation.parameters.filter((one) => one.in === 'query').map((one) => one.name)
    expect(names).toEqual(expect.arrayContaining(Object.keys(query)))
    if (json !== undefined) {
      const content = ['requestBody', 'content', 'application/json', 'schema']
      const validate = validatorOf(['paths', path, method.toLowerCase(), ...content])
      expect([validate(json), validate.errors]).toEqual([true, null])
    }
    const address = `${fillPath(path, params)}?${new URLSearchParams(query).toString()}`
    expect((await send(address, method, success)).status).toBe(status)
  })

  const filledPath = fillPath(path, {
    file_id: '1',
    task_id: '1',
    upload_id: '1',
    question_id: 'ab'.repeat(16),
    index: '0',
    name: 'main.js',
    ...{ material_id: '1', part: 'cover' },
  })

  test('needs a key, unless it is public', async () => {
    const { status } = await sendRequest(service.baseUrl + filledPath, { method })
    expect(status === 401).toBe(operation.security?.length !== 0)
  })

  test('rejects other web pages', async () => {
    const headers = { authorization: world.account.apiKey, origin: 'http://page.example' }
    const { status } = await sendRequest(service.baseUrl + filledPath, { method, headers })
    expect(status).toBe(401)
  })
})

const codes: Readonly<Record<string, number>> = {
  ...{ file_id: 6004, material_id: 6004 },
  ...{ task_id: 6005, upload_id: 6024 },
}
const idParameter = (path: string): string => /\{(\w+_id)\}/.exec(path)?.[1] ?? ''

// Aborting an unknown upload succeeds.
const findings = described.filter(
  ({ path, operationId }) => idParameter(path) && operationId !== 'abortUpload',
)

test.each(findings)('$operationId reports what does not exist', async ({ path, method, operationId }) => {
  const id = idParameter(path)
  const question_id = 'ab'.repeat(16)
  const address = fillPath(path, { [id]: '1234567890123456789', index: '0', question_id, part: 'cover' })
  const answers = { answers: [{ question_id, answer: {} }] }
  const query = operationId === 'previewFile' ? '?kind=waveform' : ''
  const local = { path: '/a', device: '1', inode: '1' }
  const response = await sendRequest(service.baseUrl + address + query, {
    method,
    headers: { authorization: world.account.apiKey, 'content-type': 'application/json' },
    ...(method === 'PUT' && { body: 'bytes' }),
    ...(operationId === 'importPart' && { body: JSON.stringify(local) }),
    ...(operationId === 'answerQuestions' && { body: JSON.stringify(answers) }),
  })
  expect(envelope(response)).toMatchObject({ status: 404, code: codes[id], data: null })
})

describe('the page', () => {
  test('shows every endpoint without scripts, under a policy that allows only its style', async () => {
    const { headers, bytes } = await sendRequest(`${service.baseUrl}/docs`)
    const page = bytes.toString()
    for (const { operationId } of described) expect(page).toContain(`id="${operationId}"`)
    expect(page).not.toMatch(/<script|<link|<img|style=| on\w+=|http:|https:/)
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(page) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).toContain(`style-src 'sha256-${hash}'`)
    expect(policy).toMatch(/frame-ancestors 'none'/)
  })

  test.for(['/docs', '/docs/openapi.json', '/base/enums', '/base/voices', '/base/layouts?slot_count=2'])(
    '%s is sent once',
    async (path) => {
      const headers = { authorization: world.account.apiKey }
      const first = await sendRequest(service.baseUrl + path, { headers })
      const tag = String(first.headers['etag'])
      const again = await sendRequest(service.baseUrl + path, {
        headers: { ...headers, 'if-none-match': `"x", W/${tag}` },
      })
      expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([304, 0, tag])
      const other = await sendRequest(service.baseUrl + path, {
        headers: { ...headers, 'if-none-match': '"x"' },
      })
      expect([other.status, other.bytes]).toEqual([200, first.bytes])
      const head = await sendRequest(service.baseUrl + path, { method: 'HEAD', headers })
      expect([head.status, head.headers['etag'], head.bytes.length]).toEqual([200, tag, 0])
    },
  )

  test.for(['/docs', '/docs/openapi.json', '/page/main.js'])(
    '%s is compressed for clients that accept it, with an ETag of its own',
    async (path) => {
      const get = (headers: Record<string, string>) =>
        sendRequest(service.baseUrl + path, { headers: { authorization: world.account.apiKey, ...headers } })
      const plain = await get({})
      for (const encoding of ['identity', 'gzip;q=0', 'br, xgzip'])
        expect((await get({ 'accept-encoding': encoding })).bytes).toEqual(plain.bytes)
      const packed = await get({ 'accept-encoding': 'br, GZIP;q=0.5' })
      expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2)
      expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
      const tag = String(packed.headers['etag'])
      expect(tag).not.toBe(plain.headers['etag'])
      const again = await get({ 'accept-encoding': 'gzip', 'if-none-match': tag })
      expect([again.status, again.headers['vary']]).toEqual([304, 'accept-encoding'])
    },
  )
})
