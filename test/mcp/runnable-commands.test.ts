import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.ts'
import { createClips, startInProcessAgent } from './stdio-client.ts'

const program = {
  launcher: ['node', '/home/someone/src/reelwright/scripts/run.mjs'],
  dataDir: '/home/someone/media data',
  settingsFile: '/home/someone/media data/reelwright.config.json',
}
const hint = 'reelwright models pull zipvoice'
const runnable = `\`node ${program.launcher[1]} models pull zipvoice --data-dir '${program.dataDir}'\``

test('commands in states, failures and notes are runnable where the service is local', async () => {
  await using agent = await startInProcessAgent('modern', {}, { program })
  const setting =
    'no model is set. Fix: Set "a" in reelwright.config.json of the data folder, which `reelwright doctor` names, such as 1.'
  agent.service.operations = [`it is missing. Fix: ${hint}`, setting].map((missing, index) => ({
    ...{ name: `operation_${index}`, title: 'x', ready: false, price: '1 credit', missing },
  }))
  const status = await agent.call('service_status')
  expect(status.text).toContain(`Fix: ${runnable}`)
  expect(status.text).toContain(`Set "a" in '${program.settingsFile}', such as 1.`)
  expect(status.text.length).toBeLessThan(1500)
  const input = await createClips(agent)
  agent.service.onCreate = (task) => {
    task.status = 'failed'
    task.output = { error: { code: 6401, message: 'not installed', hint, retryable: false } }
  }
  const failed = await agent.call('video_split_screen', input)
  expect(failed.text).toContain(`Fix: ${runnable}`)
  expect(failed.data['error']).toMatchObject({ hint: runnable })
  agent.service.onCreate = (task) => {
    const [file] = agent.service.files.values()
    task.status = 'completed'
    task.output = { file_id: file?.id, notes: [`Better with \`${hint}\``] }
  }
  const noted = await agent.call('video_split_screen', { ...input, audio_mode: 'mute' })
  expect(noted.text).toContain(`Better with ${runnable}`)
})

test('every fix fits into the short state also where paths are long', async () => {
  const folder = `/home/someone/${'a folder of long names/'.repeat(4)}`
  const dataDir = join(folder, 'media data')
  const long = { ...program, dataDir, settingsFile: join(dataDir, 'reelwright.config.json') }
  await using root = await temporaryFolder()
  const privateFolders = ['one', 'two'].map((name) => ({
    path: join(root.path, `${name} ${'private '.repeat(14)}`),
    use: 'models',
  }))
  for (const { path } of privateFolders) await mkdir(path)
  const settings = { program: long, allowedFolders: [root.path], privateFolders }
  await using agent = await startInProcessAgent('modern', {}, settings)
  const base = { title: 'x', price: '1 credit', ready: true, missing: null }
  const missing = [
    'Whisper tiny is not installed. Fix: reelwright models pull whisper-tiny',
    'ZipVoice is not installed. Fix: reelwright models pull zipvoice sense-voice',
    'no model is set. Fix: Set "a" in reelwright.config.json of the data folder, which `reelwright doctor` names, such as 1.',
  ]
  agent.service.operations = [
    ...missing.map((text, index) => ({
      ...base,
      name: `blocked_operation_${index}`,
      ready: false,
      missing: text,
    })),
    ...[1, 2, 3, 4].map((index) => ({
      ...{ ...base, name: `waiting_operation_${index}` },
      first_download: { packs: [`piano-transcription-${index}`, `piano-samples-${index}`], bytes: 2 ** 20 },
    })),
    ...[1, 2, 3, 4, 5].map((index) => ({ ...base, name: `ready_operation_${index}` })),
  ]
  const { text, data } = await agent.call('service_status')
  for (const command of ['pull whisper-tiny', 'pull zipvoice sense-voice'])
    expect(text).toContain(`models ${command} --data-dir '${dataDir}'`)
  expect(text).toContain(`Set "a" in '${long.settingsFile}', such as 1.`)
  expect(text).toContain('waiting_operation_4')
  expect(data).toMatchObject({ private_folders_left_out: 2 })
  expect(text.length).toBeLessThan(1500)
  expect(JSON.stringify(data).length).toBeLessThan(1500)
})

test('names of files are not rewritten, and neither is any text of a remote service', async () => {
  await using local = await startInProcessAgent('modern', {}, { program })
  await createClips(local)
  const name = `a ${hint}.mp4`
  await writeFile(join(local.workspace, name), 'x')
  expect((await local.call('upload_file', { path: name })).data['name']).toBe(name)
  await using remote = await startInProcessAgent('modern')
  remote.service.operations = [
    { name: 'a', title: 'x', ready: false, price: '1 credit', missing: `it is missing. Fix: ${hint}` },
  ]
  expect((await remote.call('service_status')).text).toContain(`Fix: ${hint}\n`)
})
