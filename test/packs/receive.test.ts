import { once } from 'node:events'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../src/engines/packs/manifest.ts'
import { installPack, removePack } from '../../src/engines/packs/install.ts'
import { packFolder, type Packs } from '../../src/engines/packs/store.ts'
import { startMirror, etagOf } from './mirror.ts'
import {
  expectNotInstalled,
  expectInstalled,
  modelBytes,
  modelPack,
  runModelsProcess,
  usePackMirror,
  startModelsProcess,
} from './pack-fixtures.ts'

const fixture = usePackMirror()

const manifest: Manifest = { eyes: modelPack() }

const packsOf = (settings: Partial<Packs> = {}, known = manifest): Packs => fixture.packsOf(known, settings)

/** Waits for one turn of the event loop only. */
const pause = () => setImmediate()

/** First byte of each request so far. */
function starts(): number[] {
  return fixture.mirror.requests.map((request) => Number(/bytes=(\d+)-$/.exec(request)?.[1] ?? 0))
}

describe('a pull over the network', () => {
  it('resumes at the byte where the connection broke, each time', async () => {
    fixture.mirror.cuts.push(400_000, 300_000)
    const packs = packsOf()
    const progress: number[] = []
    expect(await installPack(packs, 'eyes', { pause, onProgress: (bytes) => progress.push(bytes) })).toBe(
      'pulled',
    )
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(modelBytes.length)
    const [firstStart, first = 0, second = 0, ...more] = starts()
    expect([firstStart, more]).toEqual([0, []])
    expect(second).toBeGreaterThan(first)
    await expectInstalled(packs)
  })

  it('starts again if the server sends no ETag', async () => {
    fixture.mirror.sendsEtag = false
    fixture.mirror.cuts.push(400_000)
    const packs = packsOf()
    expect(await installPack(packs, 'eyes', { pause })).toBe('pulled')
    expect(fixture.mirror.requests).toEqual(['eyes.onnx', 'eyes.onnx'])
    await expectInstalled(packs)
  })

  it('starts again if the content has changed', async () => {
    const other = Buffer.from(modelBytes).fill(0, 0, 1000)
    fixture.mirror.files.set('eyes.onnx', other)
    fixture.mirror.cuts.push(400_000)
    fixture.mirror.intercept = () => {
      if (fixture.mirror.requests.length === 2) fixture.mirror.files.set('eyes.onnx', modelBytes)
      return false
    }
    const packs = packsOf()
    expect(await installPack(packs, 'eyes', { pause })).toBe('pulled')
    expect(starts()[1]).toBeGreaterThan(0)
    await expectInstalled(packs)
  })

  it('fails after growing delays when the server stalls, and resumes on the next call', async () => {
    fixture.mirror.cuts.push(400_000, 0, 0, 0, 0, 0)
    const packs = packsOf()
    const pauses: number[] = []
    const recordDelay = async (milliseconds: number) => {
      pauses.push(milliseconds)
      await pause()
    }
    await expect(installPack(packs, 'eyes', { pause: recordDelay })).rejects.toMatchObject({
      ...{ code: 6401, retryable: true },
      message: expect.stringContaining('eyes.onnx cannot be downloaded'),
      hint: expect.stringContaining('Try again: the download resumes'),
    })
    await expectNotInstalled(packs)
    expect(fixture.mirror.cuts).toEqual([])
    expect(pauses).toHaveLength(5)
    expect(pauses[0]).toBeLessThanOrEqual(200)
    expect(pauses[4]).toBeGreaterThanOrEqual(800)
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(starts().at(-1)).toBeGreaterThan(0)
    await expectInstalled(packs)
  })

  it('fails when each attempt receives only a few bytes', async () => {
    fixture.mirror.stallAfter = 1000
    const follow = { pause, onProgress: () => fixture.mirror.closeConnections() }
    await expect(installPack(packsOf(), 'eyes', follow)).rejects.toMatchObject({
      code: 6401,
      retryable: true,
    })
    expect(fixture.mirror.requests).toHaveLength(100)
  })

  it('starts again when the partial file belongs to another content', async () => {
    const packs = packsOf()
    const part = `${packFolder(packs, 'eyes', modelPack())}.part`
    await mkdir(part, { recursive: true })
    await writeFile(join(part, 'eyes.onnx'), Buffer.alloc(400_000))
    await writeFile(join(part, 'eyes.onnx.etag'), etagOf(modelBytes))
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(fixture.mirror.requests).toEqual(['eyes.onnx bytes=400000-', 'eyes.onnx'])
    await expectInstalled(packs)
  })

  it.runIf(process.platform !== 'win32')('resumes after the process was killed', async () => {
    fixture.mirror.stallAfter = 600_000
    const packs = packsOf()
    const child = startModelsProcess('pull', 'eyes', { folder: fixture.folder, packs })
    const exited = once(child, 'exit')
    await fixture.mirror.waitForStall()
    const part = `${packFolder(packs, 'eyes', modelPack())}.part`
    await expect
      .poll(() =>
        stat(join(part, 'eyes.onnx')).then(
          ({ size }) => size,
          () => 0,
        ),
      )
      .toBe(600_000)
    child.kill('SIGKILL')
    await exited
    await expectNotInstalled(packs)
    fixture.mirror.stallAfter = undefined
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(starts()).toEqual([0, 600_000])
    await expectInstalled(packs)
  })

  it('downloads once for two concurrent processes', async () => {
    const packs = packsOf()
    const subject = { folder: fixture.folder, packs }
    const startPull = () => runModelsProcess('pull', 'eyes', subject)
    const ended = await Promise.all([startPull(), startPull()])
    expect(ended.map(({ code }) => code)).toEqual([0, 0])
    expect(ended.map(({ out }) => out).toSorted()).toEqual([
      'eyes: already installed\n',
      'eyes: installed (1 MiB)\n',
    ])
    expect(fixture.mirror.requests).toEqual(['eyes.onnx'])
    await expectInstalled(packs)
  })

  it('rejects other bytes of the same size, and accepts the right ones afterwards', async () => {
    fixture.mirror.files.set('eyes.onnx', Buffer.from(modelBytes).fill(0, 500, 501))
    const packs = packsOf()
    await expect(installPack(packs, 'eyes')).rejects.toThrow(
      /eyes\.onnx is not the expected file: found [0-9a-f]{64}/,
    )
    await expectNotInstalled(packs)
    fixture.mirror.files.set('eyes.onnx', modelBytes)
    expect(await installPack(packs, 'eyes')).toBe('pulled')
    expect(fixture.mirror.requests).toEqual(['eyes.onnx', 'eyes.onnx'])
    await expectInstalled(packs)
  })

  it.each([
    ['a longer file', Buffer.concat([modelBytes, modelBytes])],
    ['a shorter file', modelBytes.subarray(0, 1000)],
    ['an empty file', Buffer.alloc(0)],
  ])('refuses %s', async (_, content) => {
    fixture.mirror.files.set('eyes.onnx', content)
    const packs = packsOf()
    await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringMatching(/has .* instead of the file of 1 MiB/),
    })
    await expectNotInstalled(packs)
  })

  it('reads no more than the expected size from a server that sends no length', async () => {
    let sent = 0
    fixture.mirror.intercept = (_, response) => {
      const more = (): void => {
        while (!response.destroyed && sent < 2 ** 28 && response.write(modelBytes)) sent += modelBytes.length
        if (!response.destroyed) response.once('drain', more)
      }
      more()
      return true
    }
    const packs = packsOf()
    await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringContaining('another file'),
    })
    expect(sent).toBeLessThan(2 ** 26)
    await expectNotInstalled(packs)
  })

  it.each(['http://models.invalid/eyes.onnx', 'file:///etc/passwd', 'https://me:secret@models.invalid/'])(
    'does not follow a redirect to %s',
    async (location) => {
      fixture.mirror.intercept = (_, response) => {
        response.writeHead(302, { location }).end()
        return true
      }
      const packs = packsOf()
      await expect(installPack(packs, 'eyes')).rejects.toMatchObject({
        ...{ code: 6401, retryable: false },
        message: expect.not.stringContaining('secret'),
        hint: expect.stringContaining('REELWRIGHT_MODELS_MIRROR'),
      })
      expect(fixture.mirror.requests).toEqual(['eyes.onnx'])
    },
  )

  it('follows local redirects with the range, up to a limit', async () => {
    fixture.mirror.cuts.push(400_000)
    fixture.mirror.files.set('moved.onnx', modelBytes)
    fixture.mirror.files.delete('eyes.onnx')
    fixture.mirror.intercept = (request, response) => {
      if (request.url !== '/eyes.onnx') return false
      response.writeHead(301, { location: 'moved.onnx' }).end()
      return true
    }
    const packs = packsOf()
    expect(await installPack(packs, 'eyes', { pause })).toBe('pulled')
    expect(fixture.mirror.requests.at(-1)).toMatch(/^moved\.onnx bytes=[1-9]/)
    await expectInstalled(packs)
    expect(await removePack(packs, 'eyes')).toBe(true)
    fixture.mirror.intercept = (_, response) => {
      response.writeHead(301, { location: '/eyes.onnx' }).end()
      return true
    }
    await expect(installPack(packs, 'eyes')).rejects.toThrow('is redirected too often')
    expect(fixture.mirror.requests.length).toBeLessThan(20)
  })

  it('fails at once where the host is not found, and reports each further attempt elsewhere', async () => {
    const attempts: number[] = []
    let pauses = 0
    const options = {
      onRetry: (attempt: number) => attempts.push(attempt),
      pause: async () => void (pauses += 1),
    }
    // A label of 64 characters is invalid, so that no name server is asked.
    const nowhere = packsOf({ mirror: `https://${'x'.repeat(64)}.example/` })
    await expect(installPack(nowhere, 'eyes', options)).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringMatching(/the host x+\.example was not found$/),
      hint: expect.stringMatching(/^Connect this machine to the internet.*REELWRIGHT_MODELS_MIRROR/),
    })
    expect([attempts, pauses]).toEqual([[], 0])
    fixture.mirror.cuts.push(300_000, 300_000)
    await installPack(packsOf(), 'eyes', options)
    expect([attempts, pauses]).toEqual([[2, 3], 2])
  })

  it('reports files missing on the server, and an unreachable network', async () => {
    fixture.mirror.files.clear()
    await expect(installPack(packsOf(), 'eyes')).rejects.toMatchObject({
      message: expect.stringContaining('eyes.onnx responds with 404'),
      hint: expect.stringContaining('Set a folder'),
    })
    const closed = await startMirror()
    await closed[Symbol.asyncDispose]()
    await expect(installPack(packsOf({ mirror: closed.address }), 'eyes', { pause })).rejects.toMatchObject({
      message: expect.stringMatching(/eyes\.onnx cannot be downloaded \(ECONNREFUSED\)$/),
      hint: expect.stringMatching(/^Try again/),
    })
  })

  it('is rejected when the disk has no space', async () => {
    const { artifact, ...rest } = modelPack()
    const huge = { eyes: { ...rest, artifact: { ...artifact, bytes: 2 ** 52 } } }
    await expect(installPack(packsOf({}, huge), 'eyes')).rejects.toMatchObject({
      ...{ code: 6401, retryable: false },
      message: expect.stringMatching(/Eyes needs 4096 TiB, and .* has /),
      hint: expect.stringContaining('Free some space'),
    })
    expect(fixture.mirror.requests).toEqual([])
  })
})
