import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { allVariables } from './configuration-sections.ts'

interface ComposeFile {
  'x-environment': Record<string, string>
  services: Record<string, { image?: string; build?: object; environment?: Record<string, string>; ports?: string[] }>
}

const text = readFileSync('docker-compose.yml', 'utf8')
const compose = parse(text, { merge: true }) as ComposeFile
const services = Object.entries(compose.services)
const variables = allVariables().map(({ name }) => name)

describe('docker-compose.yml', () => {
  it('is a Compose file', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    const validate = ajv.compile(JSON.parse(readFileSync('scripts/compose-spec/compose-spec.json', 'utf8')))
    validate(compose)
    expect(validate.errors).toBeNull()
  })

  it('passes on every variable that a config schema knows', () => {
    expect(Object.keys(compose['x-environment']).sort()).toEqual([...variables].sort())
  })

  it('lets the shell or .env decide each of them', () => {
    for (const [name, value] of Object.entries(compose['x-environment'])) expect(value).toMatch(`\${${name}:-`)
  })

  it('sets no variable for a service of ours that no config schema knows', () => {
    const ours = services.filter(([, { build }]) => build)
    expect(ours.length).toBeGreaterThan(0)
    for (const [, { environment }] of ours) {
      expect(Object.keys(environment ?? {}).filter((name) => !variables.includes(name))).toEqual([])
    }
  })

  it('pins the version of every image, as the Dockerfile does', () => {
    const dockerfile = readFileSync('Dockerfile', 'utf8')
    const images = [
      ...services.flatMap(([, { image }]) => image ?? []),
      ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? ''),
    ]
    expect(images.length).toBeGreaterThanOrEqual(7)
    for (const image of images) expect(image).toMatch(/:\d+\.\d+(\.\d+)?(-[a-z-]+)?$/)
  })

  it('shows nothing to the network', () => {
    for (const [, { ports = [] }] of services) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
  })
})

describe('Dockerfile', () => {
  it('runs as an ordinary user on Node 24', () => {
    const [, final = ''] = readFileSync('Dockerfile', 'utf8')
      .split(/^FROM (?=.*\n(?!.*^FROM))/ms)
      .slice(-2)
    expect(final).toMatch(/^node:24\./)
    expect(final).toMatch(/^USER node$/m)
    expect(final).toMatch(/^HEALTHCHECK /m)
  })
})
