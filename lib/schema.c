/* SPDX-License-Identifier: GPL-3.0-or-later */
/* schema.c - one row per dataset of the stream: path, type, field, shape, unit, meaning.
 * A new dataset is a field of fb_model and a row here; reading, writing, units and flexbody.5
 * follow from it. */
#include "schema.h"
#include <stdio.h>
#include <string.h>

#define OFF(field) offsetof(fb_model, field)

const fb_dimrow fb_dims[] = {
    [0] = {"", 0},
    [FB_NN] = {"nn", OFF(nn)},
    [FB_NDOF] = {"ndof", OFF(ndof)},
    [FB_NB] = {"nb", OFF(nb)},
    [FB_NM] = {"nm", OFF(nm)},
    [FB_NF1] = {"nf+1", OFF(nf1)},
    [FB_NFI] = {"nfi", OFF(nfi)},
    [FB_NS] = {"ns", OFF(ns)},
    [FB_NR] = {"m", OFF(nr)},
    [FB_NC] = {"nc", OFF(nc)},
    [FB_NA] = {"na", OFF(na)},
    [FB_NK] = {"nk", OFF(nk)},
    [FB_NRANKING] = {"ranked", OFF(nranking)},
    [FB_NLOAD] = {"nload", OFF(nload)},
    [FB_NRESIDUAL] = {"modes", OFF(nresidual)},
    [FB_NCOMPARED] = {"compared", OFF(ncheck)},
    [FB_NTRY] = {"tries", OFF(ntry)},
    [FB_NRIGID] = {"rigid", OFF(nrigid)},
    [FB_NMOTION] = {"motions", OFF(nmotion)},
    [FB_NHELD] = {"held", OFF(nheld)},
    [FB_NSET] = {"sets", OFF(nset)},
    [FB_NSET1] = {"sets+1", OFF(nset1)},
    [FB_NSETNODE] = {"set nodes", OFF(nsetnode)},
    [FB_NBASIS] = {"shapes", OFF(nbasis)},
    [FB_NVECTOR] = {"vectors", OFF(nvector)},
    [FB_NPOLE] = {"poles", OFF(npole)},
    [FB_NSTRESSED] = {"stressed", OFF(nstressed)},
    [FB_NKG] = {"nkg", OFF(nkg)},
    [FB_NKGDOF] = {"nkg ndof", OFF(nkgdof)},
    [FB_NFRAME] = {"frames", OFF(nframe)},
};
FB_ROWS(fb_dims, FB_NDIM);

/* clang-format off */
/*                      mass length time force */
#define NONE            {0, 0, 0, 0}
#define MASS            {1, 0, 0, 0}
#define LEN             {0, 1, 0, 0}
#define MLEN            {1, 1, 0, 0}
#define MLEN2           {1, 2, 0, 0}
#define ENERGY          {1, 2, -2, 0}
#define POWER           {1, 2, -1, 0}
#define TIME            {0, 0, 1, 0}
#define PER_TIME2       {0, 0, -2, 0}
#define PER_TIME        {0, 0, -1, 0}
#define PRESSURE        {0, -2, 0, 1}
#define ACCELERATION    {0, 1, -2, 0}
#define MASSFORCE       {1, 1, -2, 0}

const fb_row fb_rows[] = {
    {"/nodes/id", 'i', OFF(node_id), {FB_NN}, NONE, FB_PLAIN, FB_STAYS,
     "node numbers of the input"},
    {"/nodes/xyz", 'd', OFF(xyz), {FB_NN, -3}, LEN, FB_PLAIN, FB_PLACE,
     "undeformed position of each node"},
    {"/nodes/mass", 'd', OFF(node_mass), {FB_NN}, MASS, FB_PLAIN, FB_STAYS,
     "lumped mass of each node"},
    {"/nodes/inertia", 'd', OFF(node_inertia), {FB_NN, -3, -3}, MLEN2, FB_PLAIN, FB_TURNS,
     "rotary inertia tensor of each node (off-diagonals: minus the product integrals)"},
    {"/dofs/node", 'i', OFF(dof_node), {FB_NDOF}, NONE, FB_PLAIN, FB_STAYS,
     "node number of each dof"},
    {"/dofs/component", 'i', OFF(dof_component), {FB_NDOF}, NONE, FB_PLAIN, FB_LABELS,
     "1..3 translations x y z, 4..6 rotations, 0 generalized or not known, 7 and above: neither "
     "(warping, pressure, temperature)"},
    {"/dofs/class", 'i', OFF(dof_class), {FB_NDOF}, NONE, FB_PLAIN, FB_STAYS,
     "0 physical, 1 generalized, 2 internal, 3 multiplier, 4 fixed"},
    {"/full/K", 'c', OFF(K), {FB_NDOF, FB_NDOF}, ENERGY, FB_PAIRED, FB_TURNS,
     "stiffness matrix of the full model"},
    {"/full/M", 'c', OFF(M), {FB_NDOF, FB_NDOF}, MLEN2, FB_PAIRED, FB_TURNS,
     "mass matrix of the full model"},
    {"/full/D", 'c', OFF(D), {FB_NDOF, FB_NDOF}, POWER, FB_PAIRED, FB_TURNS,
     "viscous damping matrix of the full model"},
    {"/full/S", 'c', OFF(S), {FB_NDOF, FB_NDOF}, ENERGY, FB_PAIRED, FB_TURNS,
     "structural damping matrix of the full model: the stiffness is K + i S in harmonic motion"},
    {"/full/N", 'c', OFF(N), {FB_NDOF, FB_NDOF}, ENERGY, FB_PAIRED, FB_TURNS,
     "circulatory matrix of the full model: the skew part of a stiffness that is not symmetric, K "
     "+ N"},
    {"/full/noise", 'd', OFF(stiffness_noise), {-1}, NONE, FB_PLAIN, FB_STAYS,
     "where K comes from larger entries that cancel (beams and shells led back from solids, "
     "component modes): its "
     "noise in rigid motion x is at most this times sum_i x_i^2 sum_j |K_ij|"},
    {"/full/G", 'c', OFF(gyroscopic), {FB_NDOF, FB_NDOF}, MLEN2, FB_PAIRED, FB_TURNS,
     "gyroscopic matrix of the full model at unit speed (1 rad over the unit of time), skew: at "
     "speed s the damping is D + s G"},
    {"/full/load", 'd', OFF(vector), {FB_NVECTOR, FB_NDOF}, ENERGY, FB_PERDOF, FB_TURNS,
     "load vectors over /dofs (mnfparse --load): forces and moments"},
    {"/full/load_name", 's', OFF(vector_name), {FB_NVECTOR, -FB_NAME}, NONE, FB_PLAIN, FB_STAYS,
     "name of each of them"},
    {"/full/Kg", 'c', OFF(Kg), {FB_NKGDOF, FB_NKGDOF}, ENERGY, FB_PAIRED, FB_TURNS,
     "geometric stiffness of the full model: a block on the diagonal for each load of /geometric. "
     "y times that load makes the stiffness K + y Kg; the part of a motion of the body that "
     "follows from its mass (centrifugal softening) is not in it"},
    {"/geometric/acceleration", 'd', OFF(kg_acceleration), {FB_NKG, -3}, ACCELERATION, FB_PLAIN,
     FB_INTEGRAL,
     "each load of Kg is a sum of: forces m a on all masses, as a gravity a makes them"},
    {"/geometric/angular", 'd', OFF(kg_angular), {FB_NKG, -3}, PER_TIME2, FB_PLAIN, FB_TURNS_AXIAL,
     "forces m r x u0 about the origin: those that an angular acceleration -r makes"},
    {"/geometric/centrifugal", 'd', OFF(kg_centrifugal), {FB_NKG, -3, -3}, PER_TIME2, FB_PLAIN,
     FB_TURNS, "forces m (tr(W) u0 - W u0) about the origin: centrifugal ones, W = w w'"},
    {"/geometric/node", 'i', OFF(kg_node), {FB_NKG}, NONE, FB_PLAIN, FB_STAYS,
     "and a force and a moment at this node; 0: none"},
    {"/geometric/force", 'd', OFF(kg_force), {FB_NKG, -3}, MASSFORCE, FB_PLAIN, FB_TURNS,
     "that force"},
    {"/geometric/moment", 'd', OFF(kg_moment), {FB_NKG, -3}, ENERGY, FB_PLAIN, FB_TURNS_AXIAL,
     "that moment"},
    {"/recovery/node", 'i', OFF(all_node), {FB_NA}, NONE, FB_PLAIN, FB_STAYS,
     "node number of each dof of the input, those left out of /dofs included; absent where none "
     "is left out"},
    {"/recovery/component", 'i', OFF(all_component), {FB_NA}, NONE, FB_PLAIN, FB_LABELS,
     "component of each dof of the input"},
    {"/recovery/class", 'i', OFF(all_class), {FB_NA}, NONE, FB_PLAIN, FB_STAYS,
     "class of each dof of the input; 4: held by a support"},
    {"/recovery/G", 'c', OFF(G), {FB_NA, FB_NDOF}, NONE, FB_RECOVERY, FB_TURNS,
     "x_all = G x: the dofs of the input from those of /dofs; an empty row: held, or without "
     "stiffness and mass"},
    {"/recovery/Ms", 'c', OFF(Ms), {FB_NN, FB_NN}, MASS, FB_PLAIN, FB_STAYS,
     "where frames were made on nodes: mass between the nodes before that, the mean of the "
     "translational blocks of the mass matrix over the axes that both nodes have; upper triangle"},
    {"/checks/kind", 'i', OFF(check_kind), {FB_NK}, NONE, FB_PLAIN, FB_STAYS,
     "finding about a dof of the input: 0 no stiffness and no mass (left out), 1 support by a "
     "huge diagonal (left out), 2 no mass, 3 negative mass, 4 constraint written as a one on both "
     "diagonals, 5 in a part that nothing joins to the largest, 6 multiplier, 7 held in the input, "
     "which has cut its stiffness (left out)"},
    {"/checks/node", 'i', OFF(check_node), {FB_NK}, NONE, FB_PLAIN, FB_STAYS,
     "node number of that dof"},
    {"/checks/component", 'i', OFF(check_component), {FB_NK}, NONE, FB_PLAIN, FB_FINDINGS,
     "component of that dof"},
    {"/checks/value", 'd', OFF(check_value), {FB_NK}, NONE, FB_PLAIN, FB_STAYS,
     "kind 1: diagonal over the median one; 3: mass over the largest one; 5: number of the part, "
     "from 2; else 0"},
    {"/checks/asymmetry", 'd', OFF(asymmetry), {-3}, NONE, FB_PLAIN, FB_STAYS,
     "largest |A - A'| over largest |A| of K, M, D as read"},
    {"/checks/rigid", 'd', OFF(rigid_residual), {FB_NMOTION}, NONE, FB_PLAIN, FB_BOUNDS,
     "largest |K r| over largest |K| |r| for the 3 translations r and, where places are known, "
     "the 3 rotations"},
    {"/checks/mass", 'd', OFF(total_mass), {-3}, MASS, FB_PLAIN, FB_SQUARES,
     "total mass r'M r in x, y, z"},
    {"/checks/center_of_mass", 'd', OFF(mass_center), {-3}, LEN, FB_PLAIN, FB_PLACE,
     "centre of mass from M"},
    {"/checks/inertia", 'd', OFF(mass_inertia), {-3, -3}, MLEN2, FB_PLAIN, FB_TURNS,
     "inertia about the centre of mass from M (off-diagonals: minus the product integrals)"},
    {"/interface/dof", 'i', OFF(interface_dof), {FB_NB}, NONE, FB_PLAIN, FB_DOFS,
     "boundary dofs chosen by --interface, positions in /dofs"},
    {"/interface/node", 'i', OFF(interface_node), {FB_NB}, NONE, FB_PLAIN, FB_STAYS,
     "node number of each of them, in link records, which have no /dofs"},
    {"/interface/component", 'i', OFF(interface_component), {FB_NB}, NONE, FB_PLAIN, FB_LABELS,
     "component of each of them, in link records"},
    {"/sets/name", 's', OFF(set_name), {FB_NSET, -FB_NAME}, NONE, FB_PLAIN, FB_STAYS,
     "name of each set of nodes of the input; frames (mnfparse --rigid, --average) are sets of one "
     "node and stand last. --interface, --fix and the like take them"},
    {"/sets/offset", 'i', OFF(set_offset), {FB_NSET1}, NONE, FB_PLAIN, FB_STAYS,
     "set k has the nodes node[offset[k]] .. node[offset[k+1]-1]"},
    {"/sets/node", 'i', OFF(set_node), {FB_NSETNODE}, NONE, FB_PLAIN, FB_STAYS,
     "their node numbers; some may not be in the model: condensed, held, slaves of a frame"},
    {"/basis/shape", 'd', OFF(basis), {FB_NBASIS, FB_NDOF}, NONE, FB_BYDOF, FB_TURNS,
     "shapes over /dofs that mnfparse --basis read, for reduce --method basis"},
    {"/modes/number", 'i', OFF(mode_number), {FB_NM}, NONE, FB_PLAIN, FB_STAYS,
     "mode numbers of the input"},
    {"/modes/eigen", 'd', OFF(eigen), {FB_NM, -5}, NONE, FB_EIGENTABLE, FB_STAYS,
     "eigenvalue, frequency in Hz, angular frequency, generalized mass, generalized stiffness; a "
     "mass of 0: not known"},
    {"/modes/damping", 'd', OFF(mode_damping), {FB_NM}, NONE, FB_PLAIN, FB_STAYS,
     "viscous damping ratios of the input's modes, as a test states them; 0: not stated"},
    {"/modes/shape", 'd', OFF(shape), {FB_NM, FB_NN, -6}, NONE, FB_SHAPE6, FB_TURNS,
     "mode shapes of the input: x y z translation, x y z rotation of each node"},
    {"/modes/shape_imag", 'd', OFF(shape_imag), {FB_NM, FB_NN, -6}, NONE, FB_SHAPE6, FB_TURNS,
     "imaginary parts of complex mode shapes; absent where all are real"},
    {"/modes/transform", 'd', OFF(mode_transform), {FB_NM, FB_NM}, NONE, FB_PLAIN, FB_STAYS,
     "mode shape transformation of the input, in file order"},
    {"/faces/offset", 'i', OFF(face_offset), {FB_NF1}, NONE, FB_PLAIN, FB_STAYS,
     "face f has the indices offset[f] .. offset[f+1]-1"},
    {"/faces/index", 'i', OFF(face_index), {FB_NFI}, NONE, FB_PLAIN, FB_OUTWARD,
     "positions in /nodes of the corners of the faces; 2 corners: a line"},
    {"/motion/time", 'd', OFF(motion_time), {FB_NFRAME}, TIME, FB_PLAIN, FB_STAYS,
     "moments of a motion that a simulator computed"},
    {"/motion/position", 'd', OFF(motion_place), {FB_NFRAME, FB_NN, -3}, LEN, FB_PLAIN, FB_PLACE,
     "position of each node in each of them; linkexport --to html plays it"},
    {"/stress/node", 'i', OFF(stress_node), {FB_NS}, NONE, FB_PLAIN, FB_STAYS,
     "node numbers that carry modal stress"},
    {"/stress/value", 'd', OFF(stress), {FB_NM, FB_NS, -6}, PRESSURE, FB_PLAIN, FB_STRESSES,
     "modal stress xx yy zz xy xz yz of each input mode"},
    {"/stress/strain", 'd', OFF(strain), {FB_NM, FB_NS, -6}, NONE, FB_PLAIN, FB_STRESSES,
     "modal strain, xx yy zz xy xz yz of the tensor: the last three are half the angles"},
    {"/stress/shape", 'd', OFF(stress_shape), {FB_NSTRESSED, FB_NDOF}, NONE, FB_BYDOF, FB_TURNS,
     "shapes over /dofs that mnfparse --stress read with their stress: modes, static answers"},
    {"/stress/shape_stress", 'd', OFF(shape_stress), {FB_NSTRESSED, FB_NS, -6}, PRESSURE, FB_PLAIN,
     FB_STRESSES, "stress of each of these shapes"},
    {"/stress/shape_strain", 'd', OFF(shape_strain), {FB_NSTRESSED, FB_NS, -6}, NONE, FB_PLAIN,
     FB_STRESSES, "strain of each of these shapes"},
    {"/stress/coordinate", 'd', OFF(coordinate_stress), {FB_NR, FB_NS, -6}, PRESSURE, FB_PLAIN,
     FB_STRESSES,
     "stress of each generalized coordinate, from that of /stress/shape by least squares in strain "
     "energy. Bodies held by modes: /reduced/V times /stress/value"},
    {"/stress/coordinate_strain", 'd', OFF(coordinate_strain), {FB_NR, FB_NS, -6}, NONE, FB_PLAIN,
     FB_STRESSES, "strain of each generalized coordinate"},
    {"/stress/residual", 'd', OFF(stress_residual), {FB_NR}, NONE, FB_PLAIN, FB_WORST,
     "what the shapes lack of each generalized coordinate: square root of the share of its strain "
     "energy"},
    {"/statistics/node", 'i', OFF(stat_node), {FB_NM, -13}, NONE, FB_PLAIN, FB_LARGEST,
     "nodes where the input's modal quantities are largest (0: translation, 1: rotation, 2: von "
     "Mises stress)"},
    {"/statistics/value", 'd', OFF(stat_value), {FB_NM, -13}, NONE, FB_STATTABLE, FB_LARGEST,
     "those largest quantities, as the input states them"},
    {"/reference/mass", 'd', OFF(ref_mass), {0}, MASS, FB_PLAIN, FB_STAYS,
     "mass, as the input states it"},
    {"/reference/center_of_mass", 'd', OFF(ref_com), {-3}, LEN, FB_PLAIN, FB_PLACE,
     "centre of mass, as the input states it"},
    {"/reference/inertia", 'd', OFF(ref_inertia), {-3, -3}, MLEN2, FB_PLAIN, FB_STATED,
     "inertia about the origin, as the input states it (Adams: off-diagonals +sum m x y)"},
    {"/reference/I1", 'd', OFF(ref_I[1]), {0}, MASS, FB_PLAIN, FB_STAYS,
     "I1 as the input prints it"},
    {"/reference/I2", 'd', OFF(ref_I[2]), {-3}, MLEN, FB_PLAIN, FB_INTEGRAL,
     "I2 as the input prints it"},
    {"/reference/I3", 'd', OFF(ref_I[3]), {-3, FB_NM}, MLEN, FB_PLAIN, FB_TURNS,
     "I3 as the input prints it"},
    {"/reference/I4", 'd', OFF(ref_I[4]), {-3, FB_NM}, MLEN2, FB_PLAIN, FB_INTEGRAL_AXIAL,
     "I4 as the input prints it"},
    {"/reference/I5", 'd', OFF(ref_I[5]), {FB_NM, -3, FB_NM}, MLEN2, FB_PLAIN, FB_TURNS_AXIAL,
     "I5 as the input prints it"},
    {"/reference/I7", 'd', OFF(ref_I[7]), {-3, -3}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "I7 as the input prints it"},
    {"/reference/I8", 'd', OFF(ref_I[8]), {FB_NM, -3, -3}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "I8 as the input prints it"},
    {"/reference/I9", 'd', OFF(ref_I[9]), {FB_NM, FB_NM, -3, -3}, MLEN2, FB_PLAIN, FB_TURNS,
     "I9 as the input prints it"},
    {"/reduced/K", 'd', OFF(Kr), {FB_NR, FB_NR}, ENERGY, FB_PLAIN, FB_TURNS,
     "generalized stiffness T'KT"},
    {"/reduced/M", 'd', OFF(Mr), {FB_NR, FB_NR}, MLEN2, FB_PLAIN, FB_TURNS,
     "generalized mass T'MT"},
    {"/reduced/D", 'd', OFF(Dr), {FB_NR, FB_NR}, POWER, FB_PLAIN, FB_TURNS,
     "generalized damping T'DT"},
    {"/reduced/S", 'd', OFF(Sr), {FB_NR, FB_NR}, ENERGY, FB_PLAIN, FB_TURNS,
     "generalized structural damping T'ST"},
    {"/reduced/N", 'd', OFF(Nr), {FB_NR, FB_NR}, ENERGY, FB_PLAIN, FB_TURNS,
     "generalized circulatory matrix T'NT, skew: the stiffness is K + N"},
    {"/reduced/G", 'd', OFF(Gr), {FB_NR, FB_NR}, MLEN2, FB_PLAIN, FB_TURNS,
     "generalized gyroscopic matrix T'GT at unit speed, skew"},
    {"/reduced/Kg", 'd', OFF(Kgr), {FB_NKG, FB_NR, FB_NR}, ENERGY, FB_PLAIN, FB_TURNS,
     "generalized geometric stiffness T'Kg T of each load of /geometric"},
    {"/reduced/T", 'd', OFF(T), {FB_NR, FB_NDOF}, NONE, FB_BYDOF, FB_TURNS,
     "x = T z: row k holds the shape of generalized coordinate k over /dofs"},
    {"/reduced/V", 'd', OFF(V), {FB_NR, FB_NM}, NONE, FB_PLAIN, FB_TURNS,
     "row k holds generalized coordinate k as a combination of /modes"},
    {"/reduced/frequency", 'd', OFF(frequency), {FB_NR}, NONE, FB_HERTZ, FB_STAYS,
     "frequencies of the reduced pair in Hz, ascending; negative: K has a negative direction"},
    {"/reduced/kind", 'i', OFF(kind), {FB_NR}, NONE, FB_PLAIN, FB_STAYS,
     "0 constraint mode of a boundary dof, 1 interior normal mode or vector of another basis, 2 "
     "eigenvector, 3 attachment vector"},
    {"/reduced/node", 'i', OFF(coordinate_node), {FB_NR}, NONE, FB_PLAIN, FB_STAYS,
     "in link records: node number of the boundary dof whose displacement the coordinate is; 0: "
     "modal"},
    {"/reduced/component", 'i', OFF(coordinate_component), {FB_NR}, NONE, FB_PLAIN, FB_LABELS,
     "in link records: component of that dof; 0: modal"},
    {"/reduced/held_node", 'i', OFF(held_node), {FB_NHELD}, NONE, FB_PLAIN, FB_STAYS,
     "node number of each dof that --fix holds at zero; in link records those of supports of the "
     "input, too"},
    {"/reduced/held_component", 'i', OFF(held_component), {FB_NHELD}, NONE, FB_PLAIN, FB_LABELS,
     "component of each of them"},
    {"/frame/origin", 'd', OFF(origin), {-3}, LEN, FB_PLAIN, FB_INPUT,
     "origin of the body's axes in the axes of the input"},
    {"/frame/axes", 'd', OFF(axes), {-3, -3}, NONE, FB_PLAIN, FB_INPUT,
     "columns: the body's axes in the axes of the input; absent: they are parallel"},
    {"/reduced/ranking", 'd', OFF(ranking), {FB_NRANKING, -3}, NONE, FB_PLAIN, FB_STAYS,
     "of interior mode ranking, best first: number of the interior mode, its participation, its "
     "frequency in Hz"},
    {"/reduced/gravity", 'd', OFF(gravity), {-3, FB_NR}, MLEN, FB_PLAIN, FB_TURNS,
     "T'M r for a unit acceleration along x, y, z: g times it is the gravity load; held dofs are "
     "part of r"},
    {"/reduced/load_dof", 'i', OFF(load_dof), {FB_NLOAD}, NONE, FB_PLAIN, FB_DOFS,
     "dof of each unit load of reduce --loads, position in /dofs (-3: in link records, which have "
     "no /dofs: its name says it); before them, in the order of "
     "/full/load, -1: a load vector, -2: one that has its attachment vector"},
    {"/reduced/load", 'd', OFF(load), {FB_NLOAD, FB_NR}, ENERGY, FB_BYLOAD, FB_TURNS,
     "generalized loads: T'P of each load vector, T'e of a unit force or moment at each of these "
     "dofs"},
    {"/reduced/load_name", 's', OFF(load_name), {FB_NLOAD, -FB_NAME}, NONE, FB_PLAIN, FB_STAYS,
     "name of each of them; of a unit load node and component"},
    {"/poles/frequency", 'd', OFF(pole_frequency), {FB_NPOLE}, NONE, FB_HERTZ, FB_STAYS,
     "damped frequency of each pole of the reduced body, ascending; of a pair the pole above the "
     "real axis is listed, and a real pole has the frequency 0 and a row of its own"},
    {"/poles/damping", 'd', OFF(pole_damping), {FB_NPOLE}, NONE, FB_PLAIN, FB_STAYS,
     "damping ratio of each pole, -Re p / |p|: negative is unstable, 1 a real pole that decays, "
     "-1 one that grows, 0 also a pole at 0"},
    {"/poles/real", 'd', OFF(pole_real), {FB_NPOLE}, PER_TIME, FB_PLAIN, FB_STAYS,
     "real part of each pole"},
    {"/poles/speed", 'd', OFF(pole_speed), {0}, PER_TIME, FB_PLAIN, FB_STAYS,
     "speed of rotation they belong to (reduce --speed): D + speed G"},
    {"/participation/factor", 'd', OFF(p_factor), {FB_NR, FB_NRIGID}, NONE,
     FB_SQRTMASS6, FB_MOTIONS,
     "v'T'M r of the modes of /reduced/frequency (v'Mv = 1) for the 3 rigid translations r and, "
     "where places are known, the 3 rotations about the origin; held dofs move with r"},
    {"/participation/effective_mass", 'd', OFF(p_mass), {FB_NR, FB_NRIGID}, NONE,
     FB_MASS6, FB_PROGENY,
     "their squares: effective masses and inertias"},
    {"/verdict/rigid_full", 'd', OFF(v_rigid_full), {FB_NRIGID}, NONE, FB_PLAIN, FB_BOUNDS,
     "||K r|| / (||K|| ||r||) of the full body for rigid motion r; absent where dofs are held"},
    {"/verdict/rigid_reduced", 'd', OFF(v_rigid_reduced), {FB_NRIGID}, NONE, FB_PLAIN, FB_BOUNDS,
     "the same of the reduced body"},
    {"/verdict/mass_full", 'd', OFF(v_mass_full), {FB_NRIGID, FB_NRIGID}, NONE,
     FB_MASS66, FB_MOTIONS,
     "R'MR of the full body: mass and, where places are known, static moment and inertia about "
     "the origin; held dofs included"},
    {"/verdict/mass_reduced", 'd', OFF(v_mass_reduced), {FB_NRIGID, FB_NRIGID}, NONE,
     FB_MASS66, FB_MOTIONS,
     "what of it the reduced body moves"},
    {"/verdict/definite", 'd', OFF(v_definite), {-3}, NONE, FB_PLAIN, FB_STAYS,
     "lowest eigenvalue of the reduced mass matrix scaled to a unit diagonal; number of negative "
     "roots; largest asymmetry of K and M"},
    {"/verdict/step", 'd', OFF(v_step), {0}, TIME, FB_PLAIN, FB_STAYS,
     "largest stable time step of central differences, 2 / w_max"},
    {"/verdict/sturm", 'i', OFF(v_sturm), {-2}, NONE, FB_PLAIN, FB_STAYS,
     "modes below /verdict/shift by the inertia of K - s M (-1: not counted, --no-sturm), modes "
     "found; fixed-interface modes (cb, imr; free-interface ones with --free-boundary) or modes of "
     "the body (lsmr, mdm)"},
    {"/verdict/shift", 'd', OFF(v_shift), {0}, PER_TIME2, FB_PLAIN, FB_STAYS,
     "the shift s of that count"},
    {"/verdict/residual", 'd', OFF(v_residual), {FB_NRESIDUAL}, NONE, FB_PLAIN, FB_STAYS,
     "||K x - w^2 M x|| / (||K|| ||x||) of each of those modes"},
    {"/verdict/check", 'd', OFF(v_check), {FB_NCOMPARED, -2}, NONE, FB_HERTZ, FB_STAYS,
     "--check, --accurate-to: frequencies of the full and of the reduced body"},
    {"/verdict/tries", 'd', OFF(v_tries), {FB_NTRY, -3}, NONE, FB_PLAIN, FB_STAYS,
     "--accurate-to: orders tried, with the largest relative error of a frequency up to it and of "
     "a static answer to a unit load at the boundary"},
    {"/verdict/rigid_left", 'i', OFF(rigid_left), {0}, NONE, FB_PLAIN, FB_STAYS,
     "in link records: rigid motions among the coordinates. More than 0: beside the six motions of "
     "a floating frame the mass matrix is singular, and no simulator that has one can integrate "
     "the body; hold it by reduce --fix"},
    {"/verdict/composite", 'd', OFF(v_composite), {-4}, NONE, FB_PLAIN, FB_STAYS,
     "lowest eigenvalue of the inertia of rigid and elastic motion together, scaled to a unit "
     "diagonal (about the centre of mass, in elastic eigenvectors), of the body at rest and of "
     "unit-load shapes of 2, 5 and 10 % of its size; negative: no simulator can integrate it"},
    {"/verdict/deflection", 'd', OFF(v_deflection), {0}, NONE, FB_PLAIN, FB_STAYS,
     "the largest of these deflections, in shares of the size, that it stands; -1: none"},
    {"/connectors/node", 'i', OFF(connector_node), {FB_NC}, NONE, FB_PLAIN, FB_STAYS,
     "node numbers where the body is joined to others"},
    {"/connectors/position", 'd', OFF(connector_position), {FB_NC, -3}, LEN, FB_PLAIN, FB_PLACE,
     "undeformed positions u0"},
    {"/connectors/rotation", 'd', OFF(connector_rotation), {FB_NC, -3, -3}, NONE, FB_PLAIN, FB_AXES,
     "undeformed orientation (columns: axes of the connector frame)"},
    {"/connectors/S", 'd', OFF(connector_S), {FB_NC, -3, FB_NR}, LEN, FB_PLAIN, FB_TURNS,
     "translation of each connector per generalized coordinate"},
    {"/connectors/Shat", 'd', OFF(connector_Shat), {FB_NC, -3, FB_NR}, NONE,
     FB_PLAIN, FB_TURNS_AXIAL,
     "small rotation of each connector per generalized coordinate"},
    {"/invariants/lumping_error", 'd', OFF(lumping_error), {-3}, NONE, FB_PLAIN, FB_STAYS,
     "what the sums of I10 and I11 miss of I4, I6 and I7 about the centre of mass, in shares of "
     "their 2-norms, coordinates scaled to the generalized mass 1: rotary inertia, and M that "
     "differs by axis; of rule 1: what I1, I2 and I7 miss of R'MR"},
    {"/invariants/isotropic/I2", 'd', OFF(Is[2]), {-3}, MLEN, FB_PLAIN, FB_INTEGRAL,
     "I2 of the isotropic part of the mass matrix, which I5 and I8 to I11 are sums over"},
    {"/invariants/isotropic/I3", 'd', OFF(Is[3]), {-3, FB_NR}, MLEN, FB_PLAIN, FB_TURNS,
     "I3 of the isotropic part"},
    {"/invariants/isotropic/I7", 'd', OFF(Is[7]), {-3, -3}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "I7 of the isotropic part"},
    {"/invariants/I1", 'd', OFF(I[1]), {0}, MASS, FB_PLAIN, FB_STAYS, "int rho: mass"},
    {"/invariants/I2", 'd', OFF(I[2]), {-3}, MLEN, FB_PLAIN, FB_INTEGRAL, "int rho u0"},
    {"/invariants/I3", 'd', OFF(I[3]), {-3, FB_NR}, MLEN, FB_PLAIN, FB_TURNS, "int rho S"},
    {"/invariants/I4", 'd', OFF(I[4]), {-3, FB_NR}, MLEN2, FB_PLAIN, FB_INTEGRAL_AXIAL,
     "int rho u0~ S"},
    {"/invariants/I5", 'd', OFF(I[5]), {FB_NR, -3, FB_NR}, MLEN2, FB_PLAIN, FB_TURNS_AXIAL,
     "int rho s_i~ S"},
    {"/invariants/I6", 'd', OFF(I[6]), {FB_NR, FB_NR}, MLEN2, FB_PLAIN, FB_TURNS,
     "int rho S'S: generalized mass"},
    {"/invariants/I7", 'd', OFF(I[7]), {-3, -3}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "int rho u0~'u0~: inertia about the origin"},
    {"/invariants/I8", 'd', OFF(I[8]), {FB_NR, -3, -3}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "int rho u0~ s_i~"},
    {"/invariants/I9", 'd', OFF(I[9]), {FB_NR, FB_NR, -3, -3}, MLEN2, FB_PLAIN, FB_TURNS,
     "int rho s_i~ s_j~"},
    {"/invariants/I10", 'd', OFF(I[10]), {-3, -3, FB_NR}, MLEN2, FB_PLAIN, FB_INTEGRAL,
     "int rho u0_a S_b"},
    {"/invariants/I11", 'd', OFF(I[11]), {-3, -3, FB_NR, FB_NR}, MLEN2, FB_PLAIN, FB_TURNS,
     "int rho S_a' S_b"},
};
/* clang-format on */
const int fb_nrows = sizeof fb_rows / sizeof *fb_rows;

#define TEXT(object, name, field, doc) {object, name, OFF(field), sizeof((fb_model *)0)->field, doc}
const fb_textrow fb_texts[] = {
    TEXT("/", "stage", stage, "the tool that wrote the file"),
    TEXT("/source", "format", format, "input format, as mnfparse --help names it"),
    TEXT("/source", "title", title, "title of the input"),
    TEXT("/source", "date", date, "date the input carries"),
    TEXT("/source", "file", source, "file the input was made from"),
    TEXT("/source", "producer", producer, "program that made the input"),
    TEXT("/source", "comment1", comment[0], "comment line of the input"),
    TEXT("/source", "comment2", comment[1], "comment line of the input"),
    TEXT("/source", "comment3", comment[2], "comment line of the input"),
    TEXT("/source", "matrices", matrices, "which matrices of the input K, M and D are"),
    TEXT("/source", "unused", unused, "matrices of the input that are not part of the model"),
    TEXT("/invariants", "mass", mass_treatment,
         "masses they are made of: nodal, or matrix (of rule 1: consistent, rowsum or diagonal)"),
    TEXT("/invariants", "rule", invariants_rule,
         "version of the rule they are made by: 2, of which invariants(1) speaks; absent: 1, all "
         "but I6 from Ms or from lumped masses"),
    TEXT("/reduced", "method", method, "reduction method"),
    TEXT("/reduced", "seconds", seconds,
         "with reduce --time: seconds from the start to before the writing, which no two runs have "
         "alike; else absent"),
    TEXT("/reduced", "damping", damping, "in link records: matrix, or none: D is absent"),
    TEXT("/frame", "place", place, "what linkexport --frame moved the origin to: com, node:N"),
};
const int fb_ntexts = sizeof fb_texts / sizeof *fb_texts;

const char *const fb_derived[] = {"/mass",
                                  "/position integral",
                                  "/shape function integral",
                                  "/stiffness matrix",
                                  "/damping matrix",
                                  "/position position integral",
                                  "/position shape function integral",
                                  "/shape function shape function integral",
                                  "/nodal relative position",
                                  "/nodal shape matrix of translation",
                                  "/nodal shape matrix of rotation",
                                  "/nodal stress matrix",
                                  "/node numbers",
                                  "/openmbv indices",
                                  NULL};

int64_t *fb_dim_of(fb_model *b, int dim)
{
    return (int64_t *)(void *)((char *)b + fb_dims[dim].offset);
}

int64_t fb_model_bytes(const fb_model *b, const char *const *what)
{
    int64_t n = 0;
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        const char *field = (const char *)b + r->offset;
        const void *data;
        fb_csc A;
        if (!fb_path_in(r->path, what))
            continue;
        if (r->type == 'c') {
            memcpy(&A, field, sizeof A);
            n += A.p ? 8 * (A.n + 1 + 2 * A.p[A.n]) : 0;
        } else {
            memcpy(&data, field, sizeof data);
            n += data ? (r->type == 's' ? 1 : 8) * fb_row_count(b, r) : 0;
        }
    }
    return n;
}

int64_t fb_row_count(const fb_model *b, const fb_row *r)
{
    fb_model *m = (fb_model *)(uintptr_t)b; /* only sizes are read */
    int64_t n = 1;
    for (int k = 0; k < 4 && r->dim[k]; k++)
        n *= r->dim[k] < 0 ? -r->dim[k] : *fb_dim_of(m, r->dim[k]);
    return n;
}

void fb_row_units(const fb_row *r, const fb_units *u, char *out, size_t n)
{
    char base[96];
    fb_units_text(u, r->unit, base, sizeof base);
    switch (r->rule) {
    case FB_PLAIN:
        snprintf(out, n, "%s", base);
        break;
    case FB_HERTZ:
        snprintf(out, n, "Hz");
        break;
    case FB_SHAPE6:
    case FB_BYDOF:
        snprintf(out, n, "%s (translations), rad (rotations)", u->name[FB_LENGTH]);
        break;
    case FB_PERDOF:
        snprintf(out, n, "%s over the unit of the dof: %s (translations), rad (rotations)", base,
                 u->name[FB_LENGTH]);
        break;
    case FB_BYLOAD:
        snprintf(out, n, "%s (load vectors), %s (unit forces), rad (unit moments)", base,
                 u->name[FB_LENGTH]);
        break;
    case FB_SQRTMASS6:
        snprintf(out, n, "%s^1/2 (x y z), %s^1/2 %s (rotations)", u->name[FB_MASS],
                 u->name[FB_MASS], u->name[FB_LENGTH]);
        break;
    case FB_MASS6:
    case FB_MASS66:
        snprintf(out, n, "%s (x y z), %s %s^2 (rotations)%s%s%s%s", u->name[FB_MASS],
                 u->name[FB_MASS], u->name[FB_LENGTH], r->rule == FB_MASS66 ? ", " : "",
                 r->rule == FB_MASS66 ? u->name[FB_MASS] : "", r->rule == FB_MASS66 ? " " : "",
                 r->rule == FB_MASS66 ? u->name[FB_LENGTH] : "");
        break;
    case FB_RECOVERY:
        snprintf(
            out, n,
            "unit of the row's dof over that of the column's: %s (translations), rad (rotations)",
            u->name[FB_LENGTH]);
        break;
    case FB_PAIRED:
        snprintf(out, n, "%s over the units of both dofs: %s (translations), rad (rotations)", base,
                 u->name[FB_LENGTH]);
        break;
    case FB_EIGENTABLE:
        snprintf(out, n, "%s^-2, Hz, %s^-1, %s %s^2, %s %s^2 %s^-2", u->name[FB_TIME],
                 u->name[FB_TIME], u->name[FB_MASS], u->name[FB_LENGTH], u->name[FB_MASS],
                 u->name[FB_LENGTH], u->name[FB_TIME]);
        break;
    case FB_STATTABLE:
        snprintf(out, n, "%s, rad, %s %s^-2", u->name[FB_LENGTH], u->name[FB_FORCE],
                 u->name[FB_LENGTH]);
        break;
    }
}

int fb_path_in(const char *path, const char *const *prefix)
{
    if (!prefix)
        return 1;
    for (; *prefix; prefix++) {
        size_t k = strlen(*prefix);
        if (!strncmp(path, *prefix, k) && (path[k] == '/' || path[k] == 0))
            return 1;
    }
    return 0;
}

const char *const *fb_schema_groups(void)
{
    static char text[40][24];
    static const char *list[40];
    int n = 0;
    for (int q = 0; q < fb_nrows + fb_ntexts; q++) {
        const char *path = q < fb_nrows ? fb_rows[q].path : fb_texts[q - fb_nrows].object;
        int len = (int)strcspn(path + 1, "/") + 1, k = 0;
        while (k < n && (strncmp(text[k], path, (size_t)len) || text[k][len]))
            k++;
        if (k < n || len == 1)
            continue;
        snprintf(text[n], sizeof *text, "%.*s", len, path);
        list[n] = text[n];
        n++;
    }
    list[n] = NULL;
    return list;
}

/* What a move of the body does, in a word of flexbody.5; NULL: nothing. */
static const char *moves_how(fb_moverule move)
{
    static const char *const how[] = {
        [FB_TURNS] = "turns",
        [FB_TURNS_AXIAL] = "turns, axial",
        [FB_INTEGRAL] = "turns, about the origin",
        [FB_INTEGRAL_AXIAL] = "turns, axial, about the origin",
        [FB_STATED] = "turns, about the origin",
        [FB_PLACE] = "place",
        [FB_AXES] = "axes",
        [FB_LABELS] = "label",
        [FB_FINDINGS] = "label, or 0",
        [FB_DOFS] = "label",
        [FB_OUTWARD] = "reversed by a mirror",
        [FB_STRESSES] = "turns",
        [FB_WORST] = "the largest",
        [FB_SQUARES] = "weighed",
        [FB_MOTIONS] = "rigid motions",
        [FB_PROGENY] = "made again",
        [FB_BOUNDS] = "the largest",
        [FB_INPUT] = "the input stays",
        [FB_LARGEST] = "0 from the fourth on",
    };
    return how[move];
}

void fb_schema_man(FILE *f)
{
    fb_units u;
    fb_units_unnamed(&u);
    for (int q = 0; q < fb_nrows; q++) {
        const fb_row *r = fb_rows + q;
        char units[160];
        fb_row_units(r, &u, units, sizeof units);
        fprintf(f, ".TP\n.B %s\n%s, [", r->path,
                r->type == 'c'   ? "sparse: /p /i /x"
                : r->type == 's' ? "text"
                : r->type == 'i' ? "int64"
                                 : "float64");
        for (int k = 0; k < 4 && r->dim[k]; k++) {
            if (r->dim[k] > 0)
                fprintf(f, "%s%s", k ? ", " : "", fb_dims[r->dim[k]].name);
            else if (r->type != 's')
                fprintf(f, "%s%d", k ? ", " : "", -r->dim[k]);
        }
        fprintf(f, "], %s.\n%s.\n", units, r->doc);
        if (moves_how(r->move))
            fprintf(f, "Moves: %s.\n", moves_how(r->move));
    }
    fprintf(f, ".SS Attributes\n");
    for (int q = 0; q < fb_ntexts; q++)
        fprintf(f, ".TP\n.B %s %s\n%s.\n", fb_texts[q].object, fb_texts[q].name, fb_texts[q].doc);
}
