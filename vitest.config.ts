import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/setup/longest-first.ts'

/** Suites that take minutes at full length, kill processes, fill disks or build packages: `npm run test:soak`. */
const soak = [
  'test/{day,fuzz}/**/*.test.ts',
  'test/{bundle,bundle-start}.test.ts',
  'test/daemon/races.test.ts',
  'test/http/{flat-memory,json-limits}.test.ts',
  'test/library/{full-disk,killed,pgvector-recall,testdata,thousand-files}.test.ts',
  'test/engines/dubbing/memory.test.ts',
  'test/mcp/late-answers.test.ts',
  'test/engines/reframe/framing-changes.test.ts',
  'test/engines/vision/{face-memory,silent-people}.test.ts',
  'test/html-render-simple/killed.test.ts',
  'test/material-describe/{flags,killed}.test.ts',
  'test/pack.test.ts',
  'test/piano/{accuracy,resume-after-kill}.test.ts',
  'test/subtitle-translate/killed.test.ts',
  'test/video-timeline-render/real-files.test.ts',
  'test/video-{long2short,long2short-pro}/killed.test.ts',
  'test/video-translate-dub/{killed,measures}.test.ts',
  'test/video-purify/{late-contents,resume-after-kill}.test.ts',
  'test/video-oral-cut/{accuracy,killed,late-footage,rendered-rates}.test.ts',
  'test/service/{bad-disks,crash,large-upload,postgres-disk,postgres-failures,power-cut,question-crash,upload-crash}.test.ts',
]

/**
 * Tests that measure the memory or processor time of their process, mock a loaded module, or change it lastingly; or that
 * compare ids of two processes, as ids ascend within a process even after a test that moved its clock forward.
 */
const alone = [
  'test/commands.test.ts',
  'test/engines/ffmpeg/locate.test.ts',
  'test/engines/speech/voice-activity.test.ts',
  'test/engines/subtitles/read.test.ts',
  'test/files/prefix-hasher.test.ts',
  'test/http/{attacks,shutdown,storage}.test.ts',
  'test/subtitle-translate/bombs.test.ts',
]

/** Identifies this run: containers that share a checkout may have equal process ids. */
const run = `${process.pid}-${Math.round(performance.timeOrigin)}`
/** Folder of the programs that this run links, inside the checkout so that they find their packages. */
const linkedPrograms = join(import.meta.dirname, 'node_modules', '.cache', `linked-${run}`)
/** Argument of Node that makes threads of test files load their linked form. */
const linkThreads = `--require=${join(linkedPrograms, 'start-linked.mjs')}`

/** Set-up of all files but unit tests: the programs of the machine are located once. */
const machine = {
  globalSetup: [
    'test/setup/postgres.ts',
    'test/setup/omit-libraries.ts',
    'test/setup/find-ffmpeg.ts',
    'test/setup/link-programs.ts',
  ],
  setupFiles: ['test/setup/isolate.ts', 'test/setup/use-ffmpeg.ts', 'test/setup/use-linked-programs.ts'],
  provide: { linkedPrograms },
  execArgv: [linkThreads],
}

/**
 * For workers that run many files. They fill the cores, so that threads for the garbage collection only add to its time,
 * and the pages of a larger new generation cost more at each start of a process than its fewer collections save. By default,
 * each 64 MiB of buffers, such as decoded frames, cause a full collection of the modules of all files, which took a seventh
 * of the processor time. A heap that grows to four times its live objects before the next full collection saves another 3 %.
 */
const execArgv = [
  ...['--single-threaded-gc', '--max-semi-space-size=16', '--min-semi-space-size=4'],
  ...['--external-memory-accounted-in-global-limit', '--heap-growing-percent=300'],
]
const shared = { isolate: false, execArgv }

export default defineConfig({
  test: {
    setupFiles: ['test/setup/isolate.ts'],
    // Tests also wait for child processes, so two workers on two cores leave time unused. From four on they take no less
    // time than three, because each loads the modules again and all compete for the caches.
    maxWorkers: availableParallelism() + 1,
    // Only end tests that hang, also on a slow or busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: { name: 'alone', include: alone, ...machine },
      },
      // Nothing outlives a test, so that many files share a process and its loaded modules.
      { extends: true, test: { name: 'modules', include: ['{src,tools}/**/*.test.ts'], ...shared } },
      { extends: true, test: { name: 'soak', include: soak, ...machine } },
      {
        extends: true,
        test: {
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...soak],
          ...shared,
          ...machine,
          setupFiles: [...machine.setupFiles, 'test/setup/no-leftovers.ts'],
          execArgv: [...execArgv, linkThreads],
        },
      },
    ],
  },
})
