// Controls: buttons, fields, boxes and choices, each with one look. Know nothing of what they are for.
import { type ComponentChildren, type ComponentProps, h } from 'preact'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends Pick<ComponentProps<'button'>, 'id' | 'type' | 'onClick' | 'disabled'> {
  readonly text: string
  /** What it is done to, where only its place shows that. */
  readonly of?: string
  readonly icon?: IconName
  /** Classes of the button: `primary`, `ghost`, `small`, `danger`; `icon-only` shows the icon alone. */
  readonly look?: string
}

export function Button({ text, of, icon, look = '', type = 'button', ...rest }: ButtonProps) {
  const isIconOnly = look.includes('icon-only')
  const name = of !== undefined ? `${text}: ${of}` : isIconOnly ? text : undefined
  return (
    <button type={type} class={`btn ${look}`} aria-label={name} title={isIconOnly ? text : undefined} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {!isIconOnly && text}
    </button>
  )
}

interface FieldProps {
  readonly id?: string
  readonly type?: 'search' | 'number' | 'text'
  readonly look?: string
  /** Not shown; a caption is. */
  readonly label?: string
  readonly caption?: string
  readonly value: string
  readonly placeholder?: string
  readonly size?: number
  readonly min?: number
  readonly max?: number
  readonly list?: string
  readonly inputMode?: string
  readonly disabled?: boolean
  readonly 'aria-invalid'?: boolean
  onInput(text: string): void
  onChange?(event: FieldEvent): void
}

type FieldEvent = { readonly currentTarget: HTMLInputElement }

export function Field({ label, caption, look = '', onInput, ...rest }: FieldProps) {
  const onText = ({ currentTarget }: FieldEvent) => onInput(currentTarget.value)
  // The types of an input allow only some of these together.
  const attributes: object = { class: `field ${look}`, 'aria-label': label, onInput: onText, ...rest }
  return captioned(caption, <input {...attributes} />)
}

function captioned(caption: string | undefined, control: ComponentChildren): ComponentChildren {
  return caption === undefined ? control : h('label', { class: 'label' }, caption, control)
}

/** The field for a part of a name, which says so itself. */
export function SearchField({ label, ...rest }: Omit<FieldProps, 'type' | 'placeholder'> & { readonly label: string }) {
  return <Field type="search" label={label} placeholder={label} {...rest} />
}

interface BoxProps {
  readonly label: string
  readonly isOn: boolean
  readonly disabled?: boolean
  onChange(isOn: boolean): void
}

/** A box whose label is where it stands. */
export function Box({ label, isOn, disabled = false, onChange }: BoxProps) {
  const onPress = ({ currentTarget }: FieldEvent) => onChange(currentTarget.checked)
  return (
    <label class="hit">
      <input class="check" type="checkbox" checked={isOn} disabled={disabled} onChange={onPress} />
      <span class="hidden">{label}</span>
    </label>
  )
}

interface ChoiceProps<Value> {
  readonly label?: string
  readonly caption?: string
  readonly look?: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, text: string])[]
  readonly disabled?: boolean
  onChange(value: Value): void
}

export function Choice<Value>({ label, caption, look = '', value, options, disabled, onChange }: ChoiceProps<Value>) {
  const onSelect = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) => {
    const chosen = options[currentTarget.selectedIndex]
    if (chosen !== undefined) onChange(chosen[0])
  }
  const [, shown] = options.find(([one]) => one === value) ?? []
  return captioned(
    caption,
    <select class={`select ${look}`} aria-label={label} value={shown} disabled={disabled} onChange={onSelect}>
      {options.map(([, text]) => (
        <option key={text}>{text}</option>
      ))}
    </select>,
  )
}
