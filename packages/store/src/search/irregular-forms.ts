/**
 * English words whose forms do not share a stem, one word with all its forms on each line. Left out are forms that are more often
 * another word (`bit`, `ground`, `rose`, `lay`), and the most common verbs (`be`, `do`, `go`, `say`, `see` …): measured on questions, more
 * forms of words that most records have find less.
 */
const LINES = `
arise arises arising arose arisen
awake awakes awaking awoke awoken
become becomes becoming became
begin begins beginning began begun
bend bends bending bent
bite bites biting bitten
bleed bleeds bleeding bled
blow blows blowing blew blown
break breaks breaking broke broken
breed breeds breeding bred
bring brings bringing brought
build builds building built
burn burns burning burned burnt
buy buys buying bought
catch catches catching caught
choose chooses choosing chose chosen
cling clings clinging clung
deal deals dealing dealt
dig digs digging dug
draw draws drawing drew drawn
dream dreams dreaming dreamed dreamt
drink drinks drinking drank drunk
drive drives driving drove driven
eat eats eating ate eaten
fall falls falling fell fallen
feed feeds feeding fed
fight fights fighting fought
flee flees fleeing fled
fly flies flying flew flown
forbid forbids forbidding forbade forbidden
forget forgets forgetting forgot forgotten
forgive forgives forgiving forgave forgiven
freeze freezes freezing froze frozen
grow grows growing grew grown
hang hangs hanging hung
hear hears hearing heard
hide hides hiding hid hidden
hold holds holding held
keep keeps keeping kept
kneel kneels kneeling knelt
lead leads leading led
learn learns learning learned learnt
leave leaves leaving left
lend lends lending lent
light lights lighting lit
lose loses losing lost
make makes making made
mean means meaning meant
meet meets meeting met
overcome overcomes overcoming overcame
pay pays paying paid
ride rides riding rode ridden
ring rings ringing rang rung
rise rises rising risen
run runs running ran
seek seeks seeking sought
sell sells selling sold
send sends sending sent
sew sews sewing sewed sewn
shake shakes shaking shook shaken
shine shines shining shone
shoot shoots shooting shot
show shows showing showed shown
shrink shrinks shrinking shrank shrunk
sing sings singing sang sung
sink sinks sinking sank sunk
sit sits sitting sat
sleep sleeps sleeping slept
slide slides sliding slid
speak speaks speaking spoke spoken
speed speeds speeding sped
spend spends spending spent
spin spins spinning spun
spring springs springing sprang sprung
stand stands standing stood
steal steals stealing stole stolen
stick sticks sticking stuck
sting stings stinging stung
strike strikes striking struck
strive strives striving strove striven
swear swears swearing swore sworn
sweep sweeps sweeping swept
swim swims swimming swam swum
swing swings swinging swung
take takes taking took taken
teach teaches teaching taught
tear tears tearing tore torn
throw throws throwing threw thrown
understand understands understanding understood
undergo undergoes undergoing underwent undergone
undertake undertakes undertaking undertook undertaken
undo undoes undoing undid undone
wake wakes waking woke woken
wear wears wearing wore worn
weave weaves weaving wove woven
weep weeps weeping wept
win wins winning won
withdraw withdraws withdrawing withdrew withdrawn
write writes writing wrote written
calf calves
child children
foot feet
goose geese
half halves
knife knives
life lives
loaf loaves
man men
mouse mice
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
`;

const groups = new Map<string, readonly string[]>();
for (const line of LINES.trim().split("\n")) {
  const forms = line.split(" ");
  for (const form of forms) groups.set(form, [...(groups.get(form) ?? []), ...forms]);
}

/** All forms of the words that `term` is a form of; none for a word without irregular forms. */
export function listIrregularForms(term: string): readonly string[] {
  return groups.get(term) ?? [];
}
