import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { scratchFolder } from './engines/ffmpeg/generate-media.ts'
import { buildBundle, type Bundle } from './pack/bundle.ts'

const root = dirname(import.meta.dirname)
const folder = await scratchFolder()

let bundle: Bundle

beforeAll(async () => {
  bundle = await buildBundle(folder)
})

describe('the bundle for desktop clients', () => {
  it('contains the program, its packages and their licences, and no platform-specific files', () => {
    const names = Object.keys(bundle.files)
    expect(names).toEqual(
      expect.arrayContaining([
        bundle.manifest.server.entry_point,
        'LICENSE',
        'dist/src/main.js',
        'dist/prompts/make-split-screen.md',
      ]),
    )
    expect(names).toContain('node_modules/zod/LICENSE')
    expect(names.filter((name) => /\.(node|ts|map)$|^(src|test|scripts)\//.test(name))).toEqual([])
    const bytes = Object.values(bundle.files).reduce((sum, { length }) => sum + length, 0)
    expect(bytes).toBeLessThan(60_000_000)
  })

  it('declares only settings that it uses, and has the name of the package', async () => {
    const { name, version, user_config, server } = bundle.manifest
    expect(JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))).toMatchObject({ name, version })
    const used = [...JSON.stringify(server).matchAll(/user_config\.(\w+)/g)].map(([, setting]) => setting)
    expect(new Set(used)).toEqual(new Set(Object.keys(user_config)))
  })
})
